// SPDX-License-Identifier: Apache-2.0

/// Where this firmware was decided to tell something else than the table of several sources has, and the table names no reading for it.
enum SourcesReadings {
    /// Where the table has a reading *offIsAWord*, this firmware has the word, but the person's state has none of its own: it is *paused*, and
    /// the sentence and each source's word say who has ended or switched off its service.
    static func told(_ scene: SourcesScene, check: Int) -> String? {
        scene.alt?["offIsAWord"]?[check].told == "switchedOff" ? "paused" : nil
    }

    /// The table asks at its checks only. Of these boards nobody had fetched anything for three days before the second one: they were out of
    /// date for a day until then, which is news (docs/risk.md).
    static func hasNews(_ scene: SourcesScene, check: Int) -> Bool? {
        let isOutOfDateBetween =
            scene.name.hasPrefix("stale: only ")
            && scene.name.hasSuffix(" fetched, warning that the others publish meanwhile") && check == 1
        return isOutOfDateBetween ? true : nil
    }

    /// Where of several codes the first one holds, as *firstCodeWins* has it, and the word is the same by either, the sum is not.
    static func points(_ scene: SourcesScene, _ source: String, check: Int) -> Double? {
        let isOtherCode =
            ["cwa", "own"].contains(source)
            && scene.name.hasPrefix("revoke: \(source) publishes types 2 1 5 one day after the other, ") && check == 1
        return isOtherCode ? 9.6 : nil
    }
}
