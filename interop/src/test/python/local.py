"""The oracle: every pipeline in stock TensorFlow alone, without the service.

    local.py FILES OUT [NAME...]

Writes the input files below FILES first.
"""

import sys

from files import Files
from run import run, select

if __name__ == "__main__":
    files = Files(sys.argv[1])
    files.write()
    run(select(sys.argv[3:]), lambda p: p.build(files), sys.argv[2], at_once=2, seconds_each=60)
