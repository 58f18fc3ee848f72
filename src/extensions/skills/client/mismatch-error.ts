// The error of a skill that is not what its entry says.
import { brand } from '../../../types/errors/errors.ts'
import type { FoundSkill } from '../../../types/extensions/skills.ts'

/**
 * What did not match: the `entry` itself, its `origin`, a file that is `unlisted` or `missing`, the form of the `contents`, their
 * `size` or `digest`, or the `frontmatter`.
 */
export type SkillMismatch = 'entry' | 'origin' | 'unlisted' | 'missing' | 'contents' | 'size' | 'digest' | 'frontmatter'

/** A skill, or a file of it, is not what the entry of the skill says. Nothing of it was used. */
export class SkillMismatchError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The URI of the skill. */
  readonly uri: string
  /** The path of the file, as it was asked for; `undefined` for the skill as a whole. */
  readonly file: string | undefined
  /** What differs from what the server had announced. */
  readonly reason: SkillMismatch
  /** The entry that the server has now, where it differs. Ask the user to approve it before you load it. */
  readonly current: FoundSkill | undefined

  static {
    brand(this, 'SkillMismatchError', 'skill-mismatch')
  }

  constructor(message: string, details: SkillMismatchDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.uri = details.uri
    this.file = details.file
    this.reason = details.reason
    this.current = details.current
  }
}

export interface SkillMismatchDetails {
  readonly uri: string
  readonly reason: SkillMismatch
  readonly file?: string | undefined
  readonly current?: FoundSkill | undefined
  readonly cause?: unknown
}
