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
    /// The number of dB by which a fragment may be weaker than the strongest of its address and tag: 30, our choice. Single
    /// readings at one place lie up to 25 dB apart; with 15 a check-in took twice as long on the virtual air. Weaker ones are
    /// not looked at, or somebody much farther away than the place could spoil what is collected by fragments under its
    /// address and tag.
    static let spread = 30

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
        /// Of the strongest fragment, in dBm.
        var strongest: Int
        /// Once complete and true to the tag.
        var code: DoorCode?

        var progress: Int { code == nil ? pieces.count : .max }
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
    public mutating func hear(_ fragment: DoorFragment, from sender: UInt64, strength: Int) -> DoorCode? {
        guard strength >= Self.leastFragmentStrength else { return nil }
        let source = Source(sender: sender, tag: fragment.tag, pieceCount: fragment.pieceCount)
        if harvests[source] == nil, !makeRoom(for: Double(strength)) { return nil }
        var harvest = harvests[source] ?? Harvest(strength: Double(strength), strongest: strength)
        guard strength >= harvest.strongest - Self.spread else { return nil }
        if strength > harvest.strongest {
            harvest.strongest = strength
            // What came before from farther away goes. In the average it counts as the weakest that is looked at, and not as
            // nothing: one strong reading alone decides nothing.
            harvest.pieces = harvest.pieces.filter { $0.value.strength >= strength - Self.spread }
            harvest.strength = max(harvest.strength, Double(strength - Self.spread))
        }
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

    /// Room for one more source. The weakest goes, of equals the one that has shown least: a place within reach is the strongest.
    /// A newcomer that is weaker than all others does not come in.
    private mutating func makeRoom(for strength: Double) -> Bool {
        guard harvests.count >= Self.maximumSources else { return true }
        let last = harvests.min { ($0.value.strength, $0.value.progress) < ($1.value.strength, $1.value.progress) }
        guard let last, last.value.strength <= strength else { return false }
        harvests[last.key] = nil
        return true
    }
}
