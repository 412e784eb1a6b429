#include "CLinuxShims.h"

#include <sys/ioctl.h>

int32_t ls_window_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
