/* Writes the JPEG files beside it, of kinds that tf.io.encode_jpeg does not write, through libjpeg-turbo:
 *   cc write.c -ljpeg -lm -o /tmp/write && /tmp/write
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <jpeglib.h>

enum Scans { SEQUENTIAL, SEPARATE, PROGRESSIVE };

struct File {
  const char *name;
  int width, height;
  J_COLOR_SPACE space;
  const char *sampling; /* horizontal and vertical factor of each component */
  int quality;
  enum Scans scans;
  int arithmetic, restart; /* MCUs between restart markers; 0 for none */
};

static const struct File FILES[] = {
  {"gray", 21, 19, JCS_GRAYSCALE, "11", 75, SEQUENTIAL, 0, 0},
  {"gray_2x2", 35, 21, JCS_GRAYSCALE, "22", 75, SEQUENTIAL, 0, 3},
  {"rgb", 13, 17, JCS_RGB, "111111", 90, SEQUENTIAL, 0, 0},
  {"ycc_1x1", 19, 18, JCS_YCbCr, "111111", 95, SEQUENTIAL, 0, 0},
  {"ycc_2x1", 37, 19, JCS_YCbCr, "211111", 75, SEQUENTIAL, 0, 0},
  {"ycc_1x2", 21, 35, JCS_YCbCr, "121111", 75, SEQUENTIAL, 0, 0},
  {"ycc_2x2", 45, 39, JCS_YCbCr, "221111", 75, SEQUENTIAL, 0, 0},
  {"ycc_2x2_narrow", 4, 33, JCS_YCbCr, "221111", 90, SEQUENTIAL, 0, 0},
  {"ycc_2x2_restart", 45, 39, JCS_YCbCr, "221111", 60, SEQUENTIAL, 0, 2},
  {"ycc_4x1", 41, 15, JCS_YCbCr, "411111", 75, SEQUENTIAL, 0, 0},
  {"ycc_mixed", 38, 29, JCS_YCbCr, "221221", 75, SEQUENTIAL, 0, 0},
  {"ycc_separate", 37, 29, JCS_YCbCr, "221111", 75, SEPARATE, 0, 0},
  {"cmyk", 18, 19, JCS_CMYK, "11111111", 75, SEQUENTIAL, 0, 0},
  {"ycck", 19, 18, JCS_YCCK, "22111122", 75, SEQUENTIAL, 0, 0},
  {"progressive", 45, 37, JCS_YCbCr, "221111", 75, PROGRESSIVE, 0, 0},
  {"progressive_gray", 29, 43, JCS_GRAYSCALE, "11", 50, PROGRESSIVE, 0, 0},
  {"progressive_restart", 33, 35, JCS_YCbCr, "121111", 75, PROGRESSIVE, 0, 2},
  {"progressive_two_columns", 15, 41, JCS_YCbCr, "111111", 30, PROGRESSIVE, 0, 0},
  {"arithmetic", 39, 33, JCS_YCbCr, "221111", 75, SEQUENTIAL, 1, 0},
  {"arithmetic_restart", 39, 33, JCS_YCbCr, "211111", 75, SEQUENTIAL, 1, 2},
  {"arithmetic_progressive", 39, 33, JCS_YCbCr, "221111", 75, PROGRESSIVE, 1, 0},
};

static void write_file(const struct File *file) {
  struct jpeg_compress_struct c;
  struct jpeg_error_mgr errors;
  jpeg_scan_info scans[4];
  unsigned char row[4 * 64];
  JSAMPROW rows = row;
  unsigned int noise = 1;
  char path[64];
  snprintf(path, sizeof path, "%s.jpg", file->name);
  FILE *out = fopen(path, "wb");
  c.err = jpeg_std_error(&errors);
  jpeg_create_compress(&c);
  jpeg_stdio_dest(&c, out);
  c.image_width = file->width;
  c.image_height = file->height;
  c.input_components = (int)strlen(file->sampling) / 2;
  c.in_color_space = c.input_components == 1 ? JCS_GRAYSCALE : c.input_components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&c);
  jpeg_set_colorspace(&c, file->space);
  jpeg_set_quality(&c, file->quality, TRUE);
  c.arith_code = file->arithmetic;
  c.optimize_coding = !file->arithmetic;
  c.restart_interval = file->restart;
  for (int i = 0; i < c.num_components; i++) {
    c.comp_info[i].h_samp_factor = file->sampling[2 * i] - '0';
    c.comp_info[i].v_samp_factor = file->sampling[2 * i + 1] - '0';
    scans[i] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {i}, .Se = 63};
  }
  if (file->scans == PROGRESSIVE) {
    jpeg_simple_progression(&c);
  } else if (file->scans == SEPARATE) {
    c.scan_info = scans;
    c.num_scans = c.num_components;
  }
  jpeg_start_compress(&c, TRUE);
  for (int y = 0; y < file->height; y++) {
    for (int i = 0; i < file->width * c.input_components; i++) {
      int x = i / c.input_components, k = i % c.input_components;
      noise = noise * 1103515245 + 12345;
      row[i] = 128 + 90 * sin(x / (5.0 + k)) * cos(y / (7.0 - k)) + (noise >> 16) % 24;
    }
    jpeg_write_scanlines(&c, &rows, 1);
  }
  jpeg_finish_compress(&c);
  jpeg_destroy_compress(&c);
  fclose(out);
}

int main(void) {
  for (unsigned int i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    write_file(&FILES[i]);
  }
}
