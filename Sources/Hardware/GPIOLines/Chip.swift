// SPDX-License-Identifier: Apache-2.0

import CGPIO
import Glibc

/// A GPIO controller of the board, as the kernel shows it: `/dev/gpiochipN`.
public struct Chip: Sendable, Hashable {
    /// The path of its device, such as `/dev/gpiochip0`.
    public let path: String
    /// The kernel's name, such as `gpiochip0`; it may differ after the next start.
    public let name: String
    /// The driver's name, such as `pinctrl-bcm2835`, up to 31 bytes; it stays the same.
    public let label: String
    /// The number of lines on the chip; they are numbered from 0.
    public let lineCount: UInt32

    /// Most chips that are looked at; the largest boards have a dozen.
    private static let most = 64

    /// Returns the chips in `folder` that can be opened for reading and writing, in the order of their numbers.
    /// Only `gpiochip0` to `gpiochip63` are tried (our own bound); links are not followed. Empty if there are none.
    public static func all(in folder: String = "/dev") -> [Chip] {
        (0..<most).compactMap { number in
            let path = "\(folder)/gpiochip\(number)"
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            return Chip(descriptor, path: path)
        }
    }

    private init?(_ descriptor: Int32, path: String) {
        var name = [CChar](repeating: 0, count: 32)
        var label = name
        var count: UInt32 = 0
        guard vigil_chip_info(descriptor, &name, &label, &count) == 0 else { return nil }
        func text(_ bytes: [CChar]) -> String {
            String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        self.path = path
        self.name = text(name)
        self.label = text(label)
        lineCount = count
    }

    /// A line to request, with its polarity and its resistor.
    public struct Line: Sendable, Hashable {
        /// The resistor that holds an input line while nothing drives it; `none` leaves the chip's own setting.
        public enum Bias: String, Sendable, CaseIterable { case none, pullUp, pullDown }

        /// The number of the line on the chip, from 0.
        public var offset: UInt32
        /// Whether a low voltage on the line means on.
        public var isActiveLow: Bool
        /// The resistor that holds a button's line while the button is not pressed; ignored for outputs.
        public var bias: Bias

        /// Creates a line from its number on the chip, from 0; by default a high voltage means on, and the chip's
        /// own resistor stays as it is. ``Chip/request(_:isButton:)`` checks whether the chip has it.
        public init(offset: UInt32, isActiveLow: Bool = false, bias: Bias = .none) {
            self.offset = offset
            self.isActiveLow = isActiveLow
            self.bias = bias
        }
    }

    /// Finds the chip in `folder` with the label `name` or, if there is none, with the kernel's name `name`. If several
    /// have the label, the one with the lowest number counts. Throws `noChip` if there is no such chip that can be opened;
    /// the text lists those that can.
    public static func find(_ name: String, in folder: String = "/dev") throws(LineFailure) -> Chip {
        let chips = all(in: folder)
        if let chip = chips.first(where: { $0.label == name }) ?? chips.first(where: { $0.name == name }) { return chip }
        let there =
            chips.isEmpty ? "there is none at all" : chips.map { "\($0.name) (\($0.label))" }.joined(separator: ", ")
        throw LineFailure(.noChip, "No GPIO chip is called \(name); \(there)")
    }

    /// Requests 1 to 64 lines from the kernel, depending on `isButton`: as outputs that are off, or as the inputs
    /// of a button, each with its own resistor; the kernel then reports every change. The position of a line in
    /// `lines` is its bit in ``LineSet``. Throws `noLine` if the chip does not have a line, `busy` if another
    /// program or driver uses a line, and `system` for any other refusal, such as a wrong number of lines or a chip
    /// that cannot be opened. Does not wait.
    public func request(_ lines: [Line], isButton: Bool) throws(LineFailure) -> LineSet {
        if let line = lines.first(where: { $0.offset >= lineCount }) {
            throw LineFailure(.noLine, "\(label) has no line \(line.offset), only 0 to \(Int(lineCount) - 1)")
        }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw LineFailure(.system, number: errno, "\(path) cannot be opened") }
        defer { close(descriptor) }
        let wanted = lines.map { line in
            let bias = line.bias == .pullUp ? VIGIL_BIAS_UP : line.bias == .pullDown ? VIGIL_BIAS_DOWN : VIGIL_BIAS_NONE
            return vigil_line(offset: line.offset, is_active_low: line.isActiveLow ? 1 : 0, bias: Int32(bias))
        }
        let result: Int32 = vigil_lines_request(descriptor, wanted, UInt32(wanted.count), isButton ? 1 : 0)
        guard result >= 0 else {
            let names = lines.map { "\($0.offset)" }.joined(separator: ", ")
            let isBusy = result == -EBUSY
            throw LineFailure(
                isBusy ? .busy : .system, number: -result, "Lines \(names) of \(label) cannot be had")
        }
        return LineSet(adopting: result)
    }
}
