// SPDX-License-Identifier: Apache-2.0

public import GAEN
public import Interfaces
public import Matching
public import Simulation

/// The way in which a board's published keys are checked. Use it on one thread.
public protocol ExposureChecking: AnyObject {
    /// Gives key files to a board in one call. Throws when a file is refused; each implementation says whether the files
    /// before it count then.
    func provide(_ files: [SimulatedAuthority.File], to board: SimulatedBoard) throws
    /// Returns every match of a board so far. Only the laboratory can see them: no interface of a board tells whose keys it
    /// met. Throws the core's refusal.
    func matches(of board: SimulatedBoard) throws -> [Match]
    /// Returns the exposure windows that the wearer's application gets when it asks. Throws the core's refusal.
    func windows(of board: SimulatedBoard) throws -> [Exposure1.ExposureWindow]
    /// Sets the mapping by which published keys are read from now on. Throws the core's refusal.
    func setMapping(_ mapping: DiagnosisKeyMapping, of board: SimulatedBoard) throws
}
