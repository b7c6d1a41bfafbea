// SPDX-License-Identifier: Apache-2.0

import Trust

/// What the board of a scene can download, and when.
protocol SceneSource: AnyObject {
    var trust: TrustStore { get }
    func rules(of scene: Scene) throws -> (document: [UInt8], approvals: [UInt8])
    /// Every package that is public at `time`, Unix seconds.
    func delivery(of scene: Scene, number: Int, at time: Int64) throws -> Delivery
}
