// Hints about who content is for and how much it matters.

export type Role = 'user' | 'assistant'

export interface Annotations {
  /** Whom the content is meant for. */
  audience?: Role[]
  /** From 0, may be left out, to 1, must not be. */
  priority?: number
  /** ISO 8601; since 2025-06-18. */
  lastModified?: string
}
