// SPDX-License-Identifier: Apache-2.0

public import TimeTrust

/// The version and the date of this firmware, as they were set when it was released.
public enum Release {
    /// The version of this firmware, as semantic versioning has it.
    public static let version = "0.3.0"
    /// The date of this release, set with each one. No time before it, or more than ten years after it, is believed. It is
    /// a constant and not the compiler's clock, so that the same sources give the same bytes.
    public static let date = UnixTime(seconds: 1_793_491_200)  // 2026-11-01
}
