// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

int vigil_folder_alarm(void) {
    int alarm = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return alarm < 0 ? -errno : alarm;
}

int vigil_folder_alarm_watch(int alarm, const char *folder) {
    int watch = inotify_add_watch(alarm, folder,
                                  IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_ONESHOT | IN_ONLYDIR | IN_DONT_FOLLOW);
    return watch < 0 ? -errno : 0;
}

void vigil_folder_alarm_take(int alarm) {
    char events[4096];
    while (read(alarm, events, sizeof events) > 0) {}
}
