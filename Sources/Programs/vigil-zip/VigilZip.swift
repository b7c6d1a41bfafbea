// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import KeyArchive
import KeyStream

/// The only program of the firmware that knows what a zip is. Started by others for one file, confined before it looks at it.
///
/// `vigil-zip read`: key file at descriptor 0, stream of frames at 1. `vigil-zip write`: the reverse. `--unconfined` behind either lets it
/// work where the kernel cannot confine it. `vigil-zip selftest` shows which calls the confinement stops.
@main
enum VigilZip {
    /// What the exit status means to whoever started it.
    enum Status {
        static let done: Int32 = 0
        /// The file was refused; the stream says why.
        static let refused: Int32 = 1
        static let usage: Int32 = 2
        static let notConfined: Int32 = 3
    }

    static func main() {
        switch vigil_argument(1).map({ String(cString: $0) }) {
        case "read": work { size in ArchiveService.unpack(from: 0, byteCount: size, to: 1) }
        case "write": work(readsAnywhere: false) { _ in ArchiveService.pack(from: 0, to: 1) }
        case "selftest": _exit(selfTest())
        default:
            say("vigil-zip: started by other programs of Vigil, with a role: read, write or selftest.\n", to: 2)
            _exit(Status.usage)
        }
    }

    private static func work(readsAnywhere: Bool = true, _ body: (UInt64) -> Bool) -> Never {
        let mayBeUnconfined = vigil_argument(2).map { String(cString: $0) } == "--unconfined"
        var status = stat()
        guard vigil_prepare_unzip() == 0, fstat(0, &status) == 0 else { _exit(Status.usage) }
        let confinement: Confinement = vigil_confine_unzip(readsAnywhere ? 1 : 0) == 0 ? .systemCallFilter : .none
        ArchiveService.greet(confinement, on: 1)
        guard confinement != .none || mayBeUnconfined else { _exit(Status.notConfined) }
        _exit(body(UInt64(clamping: status.st_size)) ? Status.done : Status.refused)
    }

    /// One line per forbidden call. Each is made by a process of its own, because it ends that process.
    private static func selfTest() -> Int32 {
        guard vigil_confine_trial(-1) == 0 else {
            say("this kernel cannot confine the program, or what it is left with does not work\n", to: 1)
            return Status.notConfined
        }
        var isTight = true
        var index: Int32 = 0
        while let name = vigil_confine_trial_name(index) {
            let isStopped = vigil_confine_trial(index) == 1
            say("\(isStopped ? "stopped" : "NOT STOPPED"): \(String(cString: name))\n", to: 1)
            isTight = isTight && isStopped
            index += 1
        }
        return isTight ? Status.done : Status.notConfined
    }

    private static func say(_ text: String, to descriptor: Int32) {
        Array(text.utf8).withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}
