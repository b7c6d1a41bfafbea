// SPDX-License-Identifier: Apache-2.0

/// A short mark by which one text is told from another.
public enum TextMark {
    /// Returns the mark of a text's bytes, FNV-1a with 64 bits (draft-eastlake-fnv): equal texts have equal ones, now and after a restart.
    ///
    /// For texts of the operator's or the system's own: whoever may choose both texts can give them one mark.
    public static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
