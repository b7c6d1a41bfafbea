// SPDX-License-Identifier: Apache-2.0

import ForeignText
import Testing

@Suite struct TextMarkTests {
    /// Of draft-eastlake-fnv, appendix C: the 64-bit FNV-1a of these texts.
    @Test func itIsFNV1a() {
        for (text, mark) in [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
            as [(String, UInt64)]
        {
            #expect(TextMark.of(text.utf8) == mark, "\(text)")
        }
    }
}
