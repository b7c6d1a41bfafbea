// SPDX-License-Identifier: Apache-2.0

/// What a controller was told about scanning.
struct ScanState {
    var isOn = false
    var isActive = false
    /// Defaults of a controller that was never told: 10 ms each (7.8.10).
    var interval: Microseconds = 10_000
    var window: Microseconds = 10_000
    var usesRandomAddress = false
    /// 1 and 3: devices on the filter accept list only.
    var filterPolicy: UInt8 = 0
    var start: Microseconds = 0
    var generation: UInt64 = 0
    /// Reports in the extended form.
    var isExtended = false
    /// Extended scans: time on, and time from one start to the next.
    var duration: Microseconds = 0
    var period: Microseconds = 0
    /// In the pause of a periodic scan.
    var isPausing = false
    /// 0 all, 1 once, 2 once in every period.
    var duplicateFilter: UInt8 = 0
    private var seen: Set<UInt64> = []

    /// The scanner listens at the beginning of every scan interval (Vol 6 Part B 4.4.3).
    func isListening(at time: Microseconds) -> Bool {
        isOn && !isPausing && (window >= interval || (time - start) % interval < window)
    }

    mutating func forgetSeen() { seen.removeAll() }

    /// Whether the duplicate filter lets this pass. The memory of real controllers is small as well; a full one is emptied.
    mutating func isNews(kind: UInt8, _ address: AirAddress) -> Bool {
        guard duplicateFilter != 0 else { return true }
        if seen.count >= 1_024 { seen.removeAll() }
        return seen.insert(address.value | (address.isRandom ? 1 << 48 : 0) | UInt64(kind) << 49).inserted
    }
}
