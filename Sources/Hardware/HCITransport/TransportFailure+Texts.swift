// SPDX-License-Identifier: Apache-2.0

import Glibc
import HCI

extension TransportFailure {
    // MARK: - While opening

    /// What an `errno` means for an address that was being opened.
    static func opening(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        switch address {
        case .unix: openingSocket(address, error)
        case .serial: openingSerial(address, error)
        case .userChannel: openingAdapter(address, error)
        case .inherited: openingInherited(address, error)
        }
    }

    private static func openingSocket(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        switch error {
        case ENOENT, ENOTDIR, ELOOP:
            TransportFailure(
                .notThere, address, systemError: error, "there is no such socket",
                advice: "Start the program that makes it, or correct the path")
        case ECONNREFUSED:
            TransportFailure(
                .refusedConnection, address, systemError: error, "nobody takes connections there",
                advice:
                    "Start the program that listens on it, or wait until it serves fewer; a file left by one that died does"
                    + " not matter")
        case EPROTOTYPE:
            TransportFailure(
                .notATransport, address, systemError: error, "the socket there is not a stream",
                advice: "Let the listener use SOCK_STREAM, or pass a connected socket as fd:N")
        case EACCES, EPERM:
            TransportFailure(
                .noPermission, address, systemError: error, "this user may not connect",
                advice: "Give this user write permission on the socket and search permission on its folders")
        default: other(address, error)
        }
    }

    private static func openingSerial(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        switch error {
        case ENOENT, ENOTDIR, ELOOP, ENXIO, ENODEV, EIO:
            TransportFailure(
                .notThere, address, systemError: error, "there is no such serial device, or nothing behind it",
                advice: "Check name, device tree and plug; `ls /dev/tty*` shows what there is")
        case ENOTTY, EISDIR, EINVAL:
            TransportFailure(
                .notATransport, address, systemError: error, "this is not a serial line",
                advice: "Name the device of the line, for example /dev/ttyAMA0 or /dev/serial1")
        case EACCES, EPERM, EROFS:
            TransportFailure(
                .noPermission, address, systemError: error, "this user may not open the line",
                advice: "Add the user to the group of the device, usually dialout, or pass the open line as fd:N")
        case EBUSY:
            TransportFailure(
                .busy, address, systemError: error, "another program or the kernel's Bluetooth driver has the line",
                advice: "Stop what uses it (`fuser -v` names it): a console, a modem manager, btattach or hciattach. If the"
                    + " kernel drives it, use hci:N instead")
        default: other(address, error)
        }
    }

    private static func openingAdapter(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        switch error {
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
            return TransportFailure(
                .noKernelBluetooth, address, systemError: error,
                "the kernel offers no Bluetooth sockets: not built in, not loaded, or kept from this process by a network"
                    + " namespace or RestrictAddressFamilies",
                advice: "Load the module bluetooth or correct the unit; without kernel Bluetooth use h4:serial: or h4:unix:"
            )
        case ENODEV:
            return TransportFailure(
                .notThere, address, systemError: error, "there is no such adapter",
                advice: "See /sys/class/bluetooth for what there is; its driver or firmware may be missing (`dmesg`)")
        case EPERM, EACCES:
            return TransportFailure(
                .noPermission, address, systemError: error, "taking an adapter for oneself needs CAP_NET_ADMIN",
                advice:
                    "Give the process that capability (AmbientCapabilities=CAP_NET_ADMIN), or let a privileged program open"
                    + " the adapter and pass it as fd:N")
        case EBUSY, EUSERS:
            return TransportFailure(
                .busy, address, systemError: error, "another program has the adapter or has just switched it on again",
                advice: "Stop bluetoothd and keep it off (`systemctl disable --now bluetooth`); no second vigil may run")
        case ERFKILL:
            let (why, advice) = RadioSwitch().sentence
            return TransportFailure(.blockedByRfkill, address, systemError: error, why, advice: advice)
        default: return other(address, error)
        }
    }

    private static func openingInherited(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        switch error {
        case EBADF:
            TransportFailure(
                .notThere, address, systemError: error, "no such descriptor is open",
                advice: "Whoever starts this process must open it and let it be inherited (no close-on-exec)")
        case EIO, ENODEV, ENXIO: lost(address, systemError: error)
        default: other(address, error)
        }
    }

    static func notATransport(_ address: TransportAddress, _ why: String) -> TransportFailure {
        TransportFailure(
            .notATransport, address, why,
            advice: "Pass a connected stream or seqpacket socket, a bound HCI_CHANNEL_USER socket, or an open serial line")
    }

    static func unsupportedBaud(_ address: TransportAddress, offered: UInt32) -> TransportFailure {
        TransportFailure(
            .unsupportedBaud, address, "the line cannot run at this speed, the nearest it offers is \(offered)",
            advice: "Use a speed that line and controller both know, for example 115200")
    }

    // MARK: - Later

    /// What an `errno` means for a transport that was working.
    static func broken(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        switch error {
        // EPIPE, EBADFD, ENETDOWN: what a user channel says when its adapter is gone (net/bluetooth/hci_sock.c).
        case EIO, ENODEV, ENXIO, EPIPE, ECONNRESET, ENOTCONN, ESHUTDOWN, EBADFD, ENETDOWN:
            lost(address, systemError: error)
        default: other(address, error)
        }
    }

    static func lost(_ address: TransportAddress, systemError: Int32?) -> TransportFailure {
        let why = "the controller is gone: unplugged, crashed, reset, or its program ended"
        guard case .inherited = address else {
            return TransportFailure(
                .lost, address, systemError: systemError, why, advice: "Open it again; if it stays away, see `dmesg`")
        }
        return TransportFailure(
            .lost, address, systemError: systemError, why,
            advice:
                "An inherited descriptor cannot be opened again: end this process and let its supervisor start it with a"
                + " new one")
    }

    static func outOfStep(_ address: TransportAddress, _ error: HCIError) -> TransportFailure {
        TransportFailure(
            .outOfStep, address, "\(error)",
            advice: "Close and open it again, then reset the controller; if it repeats, check speed, RTS/CTS and wiring")
    }

    static func overflow(_ address: TransportAddress, waiting: Int) -> TransportFailure {
        TransportFailure(
            .overflow, address, "the controller takes no more bytes, \(waiting) wait already",
            advice: "Reset the controller or open it again; on a serial line check RTS/CTS")
    }

    static func closed(_ address: TransportAddress) -> TransportFailure {
        TransportFailure(.lost, address, "it was closed by this program", advice: "Open it again")
    }

    private static func other(_ address: TransportAddress, _ error: Int32) -> TransportFailure {
        TransportFailure(
            .system, address, systemError: error, "the system refused",
            advice: "Try again later; if it repeats, report this")
    }
}
