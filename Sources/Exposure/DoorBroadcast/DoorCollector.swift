// SPDX-License-Identifier: Apache-2.0

/// Collects fragments of places' codes while somebody holds the button, until one code is complete and its place is near.
///
/// Everything that it hears may be hostile. It takes a bounded memory, mixes no fragments of two senders, and returns no
/// code but one whose hash is that of its fragments' tag. Somebody with a strong sender can keep it from completing a code,
/// as by jamming, and can have it complete a code of their own.
public struct DoorCollector: Sendable {
    /// The most senders and tags of which fragments are kept, 64, our choice: with the longest codes 43 KB of pieces.
    public static let maximumSources = 64
    /// The largest attenuation, in dB, at which a place is near: 50, our choice. Two boards as NIST measured them have it
    /// at about a metre; the Corona-Warn-App's nearest bucket ended at 55.
    public static let nearness = 50.0
    /// The number of readings over which the strength is averaged, as the weight of a new one: 8, our choice, so that one
    /// reflection decides nothing and a wearer who comes near waits less than a second.
    static let averaging = 8.0
    /// The number of fragments of one source after which a place counts as heard: 3, our choice.
    static let leastForAPlace = 3
    /// The weakest averaged strength, in dBm, at which a place counts as heard, and at which its code is taken whatever power
    /// it states: -70, our choice, what a place with the least power of Bluetooth 5 (-20 dBm) has at ``nearness``.
    static let leastStrength = -70.0
    /// The least power, in dBm, that a place is believed to have: -30, our choice. One that states less would be near
    /// wherever it is heard.
    static let leastPower = -30.0
    /// Fragments that are weaker, in dBm, are not looked at: -85, our choice, 15 dB below what counts as heard.
    static let leastFragmentStrength = -85
    /// The number of dB by which a fragment may be weaker than the strongest that its address and tag had lately: 30, our
    /// choice. Single readings at one place lie up to 25 dB apart; with 15 a check-in took twice as long on the virtual air.
    /// Weaker ones are not looked at, or somebody much farther away than the place could spoil what is collected by fragments
    /// under its address and tag.
    static let spread = 30
    /// The time for which the strongest fragment counts at least; three times as long at most, while others are heard: one second,
    /// our choice. A place sends ten fragments in that time. Without an end, one strong packet of somebody else would hide the place for
    /// the whole hold.
    static let memory: Duration = .seconds(1)

    private struct Source: Hashable {
        let sender: UInt64
        let tag: UInt32
        let pieceCount: Int
    }

    private struct Harvest {
        /// The strongest fragment of each index.
        var pieces: [UInt8: (bytes: [UInt8], strength: Int)] = [:]
        /// Averaged, in dBm.
        var strength: Double
        var peak: Peak
        /// Once complete and true to the tag.
        var code: DoorCode?

        var progress: Int { code == nil ? pieces.count : .max }
    }

    /// The strongest fragment of the last one to three seconds, in dBm.
    private struct Peak {
        private var began: Duration
        private var current: Int?
        private var earlier: Int?

        init(at time: Duration) { began = time }

        /// `nil` if nothing was looked at in that time.
        func strongest(at time: Duration) -> Int? {
            let age = time - began
            guard age < DoorCollector.memory * 2 else { return nil }
            return age < DoorCollector.memory ? [current, earlier].compactMap(\.self).max() : current
        }

        mutating func take(_ strength: Int, at time: Duration) {
            turn(at: time)
            current = max(current ?? strength, strength)
        }

        /// What lies back too far goes.
        mutating func turn(at time: Duration) {
            let age = time - began
            guard age >= DoorCollector.memory else { return }
            earlier = age < DoorCollector.memory * 2 ? current : nil
            current = nil
            began = time
        }
    }

    private var harvests: [Source: Harvest] = [:]

    /// The number of senders and tags of which something is kept now.
    var sourceCount: Int { harvests.count }

    /// Creates a collector that has heard nothing.
    public init() {}

    /// Whether a place is heard that may be in reach of a hand: at least three of its fragments, not too weak. From then on
    /// a hold of the button is about a check-in.
    public var hearsAPlace: Bool {
        harvests.values.contains {
            min($0.progress, DoorCode.pieceCounts.upperBound) >= Self.leastForAPlace && $0.strength >= Self.leastStrength
        }
    }

    /// Takes a fragment that `sender` sent, and returns the code of its place if that is complete, true to its tag, and
    /// near; otherwise `nil`.
    ///
    /// - Parameters:
    ///   - fragment: The fragment, of any origin.
    ///   - sender: A number for the sender's address and its type; fragments of two senders are never joined.
    ///   - strength: The strength in dBm, -127 to 20, corrected for this receiver.
    ///   - time: When it was heard, since any moment that is the same for all; never before an earlier one.
    public mutating func hear(
        _ fragment: DoorFragment, from sender: UInt64, strength: Int, at time: Duration
    ) -> DoorCode? {
        guard strength >= Self.leastFragmentStrength else { return nil }
        let source = Source(sender: sender, tag: fragment.tag, pieceCount: fragment.pieceCount)
        if harvests[source] == nil, !makeRoom(for: Double(strength), at: time) { return nil }
        var harvest = harvests[source] ?? Harvest(strength: Double(strength), peak: Peak(at: time))
        harvest.peak.turn(at: time)
        guard strength >= (harvest.peak.strongest(at: time) ?? strength) - Self.spread else {
            harvests[source]?.peak = harvest.peak
            return nil
        }
        harvest.peak.take(strength, at: time)
        // What came before from much farther away, or from much nearer and is heard no more, goes. In the average it counts as the
        // weakest, or strongest, that is looked at, and not as nothing: one strong reading alone decides nothing.
        let near = strength - Self.spread...strength + Self.spread
        harvest.pieces = harvest.pieces.filter { near.contains($0.value.strength) }
        harvest.strength = min(max(harvest.strength, Double(near.lowerBound)), Double(near.upperBound))
        harvest.strength += (Double(strength) - harvest.strength) / Self.averaging
        if harvest.code == nil {
            if strength >= harvest.pieces[fragment.index]?.strength ?? strength {
                harvest.pieces[fragment.index] = (fragment.bytes, strength)
            }
            if harvest.pieces.count == fragment.pieceCount {
                let points = harvest.pieces.map { (index: $0.key, bytes: $0.value.bytes) }
                harvest.pieces = [:]
                // Among them was one of somebody else: all are given up, because nothing says which.
                harvest.code = DoorCode(pieces: ErasureCode.pieces(from: points), tag: fragment.tag)
            }
        }
        harvests[source] = harvest
        guard let code = harvest.code, harvest.strength >= Self.leastStrength,
            max(Double(code.transmitPower), Self.leastPower) - harvest.strength <= Self.nearness
        else { return nil }
        return code
    }

    /// Room for one more source. One that is heard no more goes, otherwise the weakest, of equals the one that has shown least: a
    /// place within reach is the strongest. A newcomer that is weaker than all others does not come in.
    private mutating func makeRoom(for strength: Double, at time: Duration) -> Bool {
        guard harvests.count >= Self.maximumSources else { return true }
        func rank(_ harvest: Harvest) -> (Double, Int) {
            (harvest.peak.strongest(at: time) == nil ? -.infinity : harvest.strength, harvest.progress)
        }
        let last = harvests.min { rank($0.value) < rank($1.value) }
        guard let last, rank(last.value).0 <= strength else { return false }
        harvests[last.key] = nil
        return true
    }
}
