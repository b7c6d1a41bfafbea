// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// Returns when a file that is written from now on has a later time than all that are there: the kernel stamps files by its coarse clock.
func waitForALaterFileTime() {
    func now() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return time
    }
    let start = now()
    eventually { now().tv_sec != start.tv_sec || now().tv_nsec != start.tv_nsec }
}
