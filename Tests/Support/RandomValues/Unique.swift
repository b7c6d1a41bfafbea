// SPDX-License-Identifier: Apache-2.0

/// What two tests must not share, also not two runs at once or a run and what a killed one left: drawn without a seed, in every run anew.
/// The only such draws of the tests. Nothing may depend on the value, so all names are equally long.
public enum Unique {
    /// The end of a name of a folder, file or group: 16 hexadecimal digits, which 2³² names would not be expected to repeat.
    public static func name() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A port below those that Linux gives away by itself (ip_local_port_range, from 32768 on). Whether it is free is for the caller to try.
    public static func port() -> UInt16 { .random(in: 10_240..<32_768) }
}
