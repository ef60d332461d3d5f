/*
 * A C interface to libjpeg that Java can call. libjpeg reports an error by a function that must not return; here each
 * function returns FAILED instead, and the message is kept. Rows are decoded one by one, since the bits of TensorFlow's
 * images depend on the order of the calls, and so does what becomes of a damaged file.
 *
 * The library's functions are not linked but handed in (headrace_jpeg_bind), so that no other libjpeg of the process can
 * take their place. A decoder or encoder is used by one thread at a time; different ones are independent.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#define EXPORT __attribute__((visibility("default")))

enum { DONE = 0, FAILED = -1 };

/* The functions of the library that are called, in the order in which Java asks for them. */
#define FUNCTIONS(F)           \
  F(jpeg_std_error)            \
  F(jpeg_destroy)              \
  F(jpeg_abort)                \
  F(jpeg_CreateDecompress)     \
  F(jpeg_read_header)          \
  F(jpeg_calc_output_dimensions) \
  F(jpeg_start_decompress)     \
  F(jpeg_crop_scanline)        \
  F(jpeg_skip_scanlines)       \
  F(jpeg_read_scanlines)       \
  F(jpeg_finish_decompress)    \
  F(jpeg_resync_to_restart)    \
  F(jpeg_CreateCompress)       \
  F(jpeg_set_defaults)         \
  F(jpeg_set_quality)          \
  F(jpeg_simple_progression)   \
  F(jpeg_start_compress)       \
  F(jpeg_write_scanlines)      \
  F(jpeg_finish_compress)

#define MEMBER(name) __typeof__(name) *name;
static struct { FUNCTIONS(MEMBER) } library;

#define ENTRY(name) {#name, (void **)&library.name},
static const struct { const char *name; void **pointer; } functions[] = {FUNCTIONS(ENTRY)};

/* The name of the function with this index; NULL after the last. */
EXPORT const char *headrace_jpeg_function(int index) {
  int count = sizeof functions / sizeof functions[0];
  return index >= 0 && index < count ? functions[index].name : NULL;
}

/* Sets the address of a function of headrace_jpeg_function. All are set before the first decoder is made. */
EXPORT void headrace_jpeg_bind(int index, void *address) {
  *functions[index].pointer = address;
}

/* The errors of a decoder or an encoder. */
struct errors {
  struct jpeg_error_mgr manager;
  jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr info) {
  struct errors *errors = info->client_data;
  errors->manager.format_message(info, errors->message);
  _longjmp(errors->escape, 1);
}

static void on_warning(j_common_ptr info) {
  (void)info; /* TensorFlow accepts images with warnings. */
}

static struct jpeg_error_mgr *init_errors(struct errors *errors) {
  struct jpeg_error_mgr *manager = library.jpeg_std_error(&errors->manager);
  manager->error_exit = on_error;
  manager->output_message = on_warning;
  errors->message[0] = 0;
  return manager;
}

static int fail(struct errors *errors, const char *message) {
  snprintf(errors->message, sizeof errors->message, "%s", message);
  return FAILED;
}

/* Decoding */

struct source {
  struct jpeg_source_mgr manager;
  int recovers;     /* whether a file that ends too early is completed */
  size_t reread;    /* bytes given again */
  int scan;         /* where the decoder was then */
  JDIMENSION row;
};

struct decoder {
  struct errors errors;
  struct jpeg_decompress_struct info;
  struct jpeg_progress_mgr progress;
  struct source source;
  int max_scans;
  int is_open;
  int is_cropped;
  JDIMENSION rows_to_skip; /* below the crop window */
  JDIMENSION end;          /* the row after the last wanted one */
};

static const JOCTET END_OF_IMAGE[2] = {0xFF, JPEG_EOI};

/* More than the bytes of a row of blocks of the widest image. */
enum { MAX_REREAD = 1 << 26 };

static void init_source(j_decompress_ptr info) {
  (void)info;
}

/* Gives a decoder the bytes that it has not taken once more. It may ask for ever: there is no end to a marker that is
   cut off. */
static boolean reread(j_decompress_ptr info, struct source *source) {
  if (source->scan != info->input_scan_number || source->row != info->input_iMCU_row) {
    source->scan = info->input_scan_number;
    source->row = info->input_iMCU_row;
    source->reread = 0;
  }
  source->reread += source->manager.bytes_in_buffer;
  if (source->reread > MAX_REREAD) {
    ERREXIT(info, JERR_INPUT_EOF);
  }
  return TRUE;
}

/*
 * Called when a decoder needs more bytes than the file has. It stops before a part that it has begun, or reads its bytes
 * once more; between parts, the image ends, or fails.
 */
static boolean fill_input_buffer(j_decompress_ptr info) {
  struct source *source = (struct source *)info->src;
  if (source->manager.bytes_in_buffer > 0) {
    return source->recovers ? reread(info, source) : FALSE;
  }
  if (!source->recovers || source->manager.next_input_byte == END_OF_IMAGE) {
    ERREXIT(info, JERR_FILE_READ);
  }
  WARNMS(info, JWRN_JPEG_EOF);
  source->manager.next_input_byte = END_OF_IMAGE;
  source->manager.bytes_in_buffer = sizeof END_OF_IMAGE;
  return TRUE;
}

static void skip_input_data(j_decompress_ptr info, long bytes) {
  struct jpeg_source_mgr *source = info->src;
  if (bytes < 0) {
    return;
  }
  if ((size_t)bytes > source->bytes_in_buffer) {
    source->bytes_in_buffer = 0;
    fill_input_buffer(info);
  } else {
    source->next_input_byte += bytes;
    source->bytes_in_buffer -= bytes;
  }
}

static void term_source(j_decompress_ptr info) {
  (void)info;
}

static void limit_scans(j_common_ptr common) {
  struct decoder *decoder = common->client_data;
  if (decoder->info.input_scan_number > decoder->max_scans) {
    fail(&decoder->errors, "the image has too many scans");
    _longjmp(decoder->errors.escape, 1);
  }
}

EXPORT struct decoder *headrace_jpeg_new_decoder(void) {
  return calloc(1, sizeof(struct decoder));
}

/* Ends an image, complete or not. */
EXPORT void headrace_jpeg_close(struct decoder *decoder) {
  if (decoder->is_open) {
    library.jpeg_destroy((j_common_ptr)&decoder->info);
    decoder->is_open = 0;
  }
}

EXPORT void headrace_jpeg_delete_decoder(struct decoder *decoder) {
  headrace_jpeg_close(decoder);
  free(decoder);
}

/* The message of the last function that returned FAILED. */
EXPORT const char *headrace_jpeg_decoder_message(struct decoder *decoder) {
  return decoder->errors.message;
}

static J_COLOR_SPACE output_space(const struct jpeg_decompress_struct *info, int channels) {
  if (channels == 1) {
    return JCS_GRAYSCALE;
  }
  int is_cmyk = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
  return is_cmyk ? JCS_CMYK : JCS_RGB;
}

/* The options of headrace_jpeg_open. */
struct options {
  int32_t channels; /* 0 for those of the file */
  int32_t ratio;
  int32_t fancy_upsampling;
  int32_t accurate_dct;
  int32_t recovers;
  int32_t max_scans;
  int64_t max_memory; /* for the coefficients of an image in several scans, in bytes */
};

/* The answer of headrace_jpeg_open. */
struct header {
  int32_t width; /* in the file */
  int32_t height;
  int32_t components;
  int32_t is_arithmetic;
  int32_t is_inverted; /* whether 0 is full ink in CMYK */
  int32_t output_width;
  int32_t output_height;
  int32_t output_samples; /* in a pixel: 1, 3, or 4 for CMYK */
};

/* Begins an image: reads its header. `data` must stay until headrace_jpeg_close. */
EXPORT int headrace_jpeg_open(struct decoder *decoder, const uint8_t *data, int64_t length,
                              const struct options *options, struct header *header) {
  struct jpeg_decompress_struct *info = &decoder->info;
  headrace_jpeg_close(decoder);
  info->err = init_errors(&decoder->errors);
  info->client_data = decoder;
  if (_setjmp(decoder->errors.escape)) {
    return FAILED;
  }
  decoder->is_open = 1;
  library.jpeg_CreateDecompress(info, JPEG_LIB_VERSION, sizeof *info);
  info->mem->max_memory_to_use = options->max_memory;
  decoder->max_scans = options->max_scans;
  decoder->progress.progress_monitor = limit_scans;
  info->progress = &decoder->progress;
  decoder->source = (struct source){.recovers = options->recovers};
  struct jpeg_source_mgr *source = &decoder->source.manager;
  source->init_source = init_source;
  source->fill_input_buffer = fill_input_buffer;
  source->skip_input_data = skip_input_data;
  source->resync_to_restart = library.jpeg_resync_to_restart;
  source->term_source = term_source;
  source->next_input_byte = data;
  source->bytes_in_buffer = length;
  info->src = source;
  if (library.jpeg_read_header(info, TRUE) != JPEG_HEADER_OK) {
    return fail(&decoder->errors, "the header is cut off");
  }
  int channels = options->channels != 0 ? options->channels : info->num_components < 3 ? info->num_components : 3;
  if (channels != 1 && channels != 3) {
    return fail(&decoder->errors, "the image has 2 components");
  }
  info->out_color_space = output_space(info, channels);
  info->do_fancy_upsampling = options->fancy_upsampling != 0;
  info->scale_num = 1;
  info->scale_denom = options->ratio;
  info->dct_method = options->accurate_dct ? JDCT_ISLOW : JDCT_IFAST;
  library.jpeg_calc_output_dimensions(info);
  *header = (struct header){
      .width = info->image_width,
      .height = info->image_height,
      .components = info->num_components,
      .is_arithmetic = info->arith_code,
      .is_inverted = info->saw_Adobe_marker,
      .output_width = info->output_width,
      .output_height = info->output_height,
      .output_samples = info->out_color_space == JCS_CMYK ? 4 : channels,
  };
  return DONE;
}

/*
 * Begins to decode. With a width of 0, all of the image; else the window, which is within it. Returns the width of the
 * rows to come, whose last pixels are those of the window, or FAILED.
 */
EXPORT int headrace_jpeg_start(struct decoder *decoder, int x, int y, int width, int height) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (_setjmp(decoder->errors.escape)) {
    return FAILED;
  }
  if (!library.jpeg_start_decompress(info)) {
    return fail(&decoder->errors, "the scans are cut off");
  }
  decoder->is_cropped = width > 0;
  decoder->end = info->output_height;
  if (decoder->is_cropped) {
    JDIMENSION left = x;
    JDIMENSION aligned = width;
    decoder->end = y + height;
    decoder->rows_to_skip = info->output_height - decoder->end;
    library.jpeg_crop_scanline(info, &left, &aligned);
    library.jpeg_skip_scanlines(info, y);
    if (info->output_scanline != (JDIMENSION)y) {
      return fail(&decoder->errors, "the rows above the crop window are cut off");
    }
  }
  return info->output_width;
}

/* Decodes up to `count` rows of `stride` bytes. Returns how many: fewer where the file is cut off; or FAILED. */
EXPORT int headrace_jpeg_read(struct decoder *decoder, uint8_t *rows, int64_t stride, int count) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (_setjmp(decoder->errors.escape)) {
    return FAILED;
  }
  JDIMENSION first = info->output_scanline;
  for (int i = 0; i < count && info->output_scanline < decoder->end; i++) {
    JSAMPROW row = rows + i * stride;
    if (library.jpeg_read_scanlines(info, &row, 1) == 0) {
      break;
    }
  }
  return info->output_scanline - first;
}

/* Ends an image after its last row, or where the file is cut off. Returns DONE or FAILED. */
EXPORT int headrace_jpeg_finish(struct decoder *decoder) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (_setjmp(decoder->errors.escape)) {
    return FAILED;
  }
  int is_cut_off = info->output_scanline < decoder->end;
  if (decoder->is_cropped && info->output_scanline < info->output_height) {
    library.jpeg_skip_scanlines(info, decoder->rows_to_skip);
  }
  if (is_cut_off) {
    library.jpeg_abort((j_common_ptr)info);
  } else {
    library.jpeg_finish_decompress(info);
  }
  return DONE;
}

/* Encoding */

/* The options of headrace_jpeg_encode. */
struct encoding {
  int32_t quality;
  int32_t progressive;
  int32_t optimize; /* whether Huffman tables are made for the image */
  int32_t downsample;
  int32_t density_unit;
  int32_t density_x;
  int32_t density_y;
};

struct target {
  struct jpeg_destination_mgr manager;
  JOCTET *bytes;
  size_t capacity;
  size_t length; /* once the file is whole */
};

struct encoder {
  struct errors errors;
  struct jpeg_compress_struct info;
  struct target target;
};

enum { FIRST_CAPACITY = 1 << 16 };

static void grow(j_compress_ptr info, size_t capacity) {
  struct target *target = (struct target *)info->dest;
  JOCTET *bytes = realloc(target->bytes, capacity);
  if (bytes == NULL) {
    ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  }
  target->bytes = bytes;
  target->capacity = capacity;
}

static void init_destination(j_compress_ptr info) {
  struct target *target = (struct target *)info->dest;
  if (target->bytes == NULL) {
    grow(info, FIRST_CAPACITY);
  }
  target->manager.next_output_byte = target->bytes;
  target->manager.free_in_buffer = target->capacity;
}

/* Called when the buffer is full. */
static boolean empty_output_buffer(j_compress_ptr info) {
  struct target *target = (struct target *)info->dest;
  size_t length = target->capacity;
  grow(info, 2 * length);
  target->manager.next_output_byte = target->bytes + length;
  target->manager.free_in_buffer = target->capacity - length;
  return TRUE;
}

static void term_destination(j_compress_ptr info) {
  struct target *target = (struct target *)info->dest;
  target->length = target->capacity - target->manager.free_in_buffer;
}

EXPORT struct encoder *headrace_jpeg_new_encoder(void) {
  return calloc(1, sizeof(struct encoder));
}

EXPORT void headrace_jpeg_delete_encoder(struct encoder *encoder) {
  free(encoder->target.bytes);
  free(encoder);
}

/* The message of the last headrace_jpeg_encode that returned FAILED. */
EXPORT const char *headrace_jpeg_encoder_message(struct encoder *encoder) {
  return encoder->errors.message;
}

/* The file of the last headrace_jpeg_encode, until the next one. */
EXPORT const uint8_t *headrace_jpeg_encoded(struct encoder *encoder) {
  return encoder->target.bytes;
}

/* Encodes rows of 1 or 3 samples a pixel. Returns the length of the file, or FAILED. */
EXPORT int64_t headrace_jpeg_encode(struct encoder *encoder, const uint8_t *samples, int width, int height,
                                    int channels, const struct encoding *options) {
  struct jpeg_compress_struct *info = &encoder->info;
  info->err = init_errors(&encoder->errors);
  info->client_data = encoder;
  info->mem = NULL; /* nothing to destroy yet */
  if (_setjmp(encoder->errors.escape)) {
    library.jpeg_destroy((j_common_ptr)info);
    return FAILED;
  }
  library.jpeg_CreateCompress(info, JPEG_LIB_VERSION, sizeof *info);
  struct jpeg_destination_mgr *target = &encoder->target.manager;
  target->init_destination = init_destination;
  target->empty_output_buffer = empty_output_buffer;
  target->term_destination = term_destination;
  info->dest = target;
  info->image_width = width;
  info->image_height = height;
  info->input_components = channels;
  info->in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  library.jpeg_set_defaults(info);
  info->optimize_coding = options->optimize != 0;
  info->density_unit = options->density_unit;
  info->X_density = options->density_x;
  info->Y_density = options->density_y;
  library.jpeg_set_quality(info, options->quality, TRUE);
  if (options->progressive) {
    library.jpeg_simple_progression(info);
  }
  for (int i = 0; !options->downsample && i < info->num_components; i++) {
    info->comp_info[i].h_samp_factor = 1;
    info->comp_info[i].v_samp_factor = 1;
  }
  library.jpeg_start_compress(info, TRUE);
  while (info->next_scanline < info->image_height) {
    JSAMPROW row = (JSAMPROW)samples + (size_t)info->next_scanline * width * channels;
    library.jpeg_write_scanlines(info, &row, 1);
  }
  library.jpeg_finish_compress(info);
  library.jpeg_destroy((j_common_ptr)info);
  return encoder->target.length;
}
