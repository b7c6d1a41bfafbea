// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Glibc
import SecurityToken
import TestKit
import Testing

/// A real token of SoftHSM in a folder that all tests of this process share: the module reads the place of its tokens once.
enum SoftToken {
    static let module: String? = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/softhsm/libsofthsm2.so"].first {
        access($0, R_OK) == 0
    }
    static let compiler: String? = ["/usr/bin/cc", "/usr/bin/clang", "/opt/swift/usr/bin/clang"].first {
        access($0, X_OK) == 0
    }
    static let missing: String? =
        module == nil || access("/usr/bin/softhsm2-util", X_OK) != 0
        ? "SoftHSM is not installed: `Tools/setup.sh tokens`" : compiler == nil ? "there is no C compiler" : nil

    private static let folder = Result { () throws -> TemporaryFolder in
        let folder = try TemporaryFolder()
        try #require(mkdir("\(folder.path)/tokens", 0o700) == 0)
        try write("directories.tokendir = \(folder.path)/tokens\nlog.level = ERROR\n", "\(folder.path)/softhsm2.conf")
        setenv("SOFTHSM2_CONF", "\(folder.path)/softhsm2.conf", 1)
        for label in ["fleet", "twins", "twins"] {
            let made = try runProgram(
                "/usr/bin/softhsm2-util",
                ["--init-token", "--free", "--label", label, "--pin", "1234567", "--so-pin", "7654321"])
            try #require(made.status == 0, "\(made.output)")
        }
        return folder
    }

    static let pin = SecretBytes(copying: "1234567".utf8)

    static func write(_ text: String, _ path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(fwrite(text, 1, text.utf8.count, file) == text.utf8.count)
    }

    /// A key of this name in the token.
    static func place(_ name: String, label: String = "fleet") throws -> TokenKey.Place {
        _ = try folder.get()
        return TokenKey.Place(module: try #require(module), label: label, name: name)
    }

    /// The same behind a module with a fault.
    static func place(_ name: String, fault: String) throws -> TokenKey.Place {
        let path = try folder.get().path
        let library = "\(path)/\(fault.replacing(" ", with: "-")).so"
        try write(HostileModule.source, "\(library).c")
        let made = try runProgram(
            try #require(compiler),
            [
                "-shared", "-fPIC", "-DFAULT=\"\(fault)\"", "-DMODULE=\"\(try #require(module))\"", "-o", library,
                "\(library).c",
            ])
        try #require(made.status == 0, "\(made.output)")
        return TokenKey.Place(module: library, label: "fleet", name: name)
    }
}
