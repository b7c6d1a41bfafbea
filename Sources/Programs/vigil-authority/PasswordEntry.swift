// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cryptography
import Glibc

/// Reads a password: twice and unseen from a terminal, otherwise one line of standard input.
enum PasswordEntry {
    static func read() throws -> SecretBytes {
        guard isatty(0) == 1 else { return try line() }
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { throw ValidationError("the terminal cannot be set") }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        guard tcsetattr(0, TCSAFLUSH, &quiet) == 0 else { throw ValidationError("the terminal cannot be set") }
        defer { tcsetattr(0, TCSAFLUSH, &settings) }
        ask("Password (12 bytes or more): ")
        let first = try line()
        ask("\nOnce more: ")
        let second = try line()
        ask("\n")
        guard first == second else { throw ValidationError("these were two different passwords") }
        return first
    }

    private static func ask(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    private static func line() throws -> SecretBytes {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        // Longer than any password, so that a wrong file is told from one.
        while bytes.count <= 1_024 {
            guard Glibc.read(0, &byte, 1) == 1, byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let secret = SecretBytes(copying: bytes)
        for index in bytes.indices { bytes[index] = 0 }
        return secret
    }
}
