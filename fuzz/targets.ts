// All targets, by name.
import { eventsTarget } from './events.ts'
import { httpTarget } from './http.ts'
import { jsonTarget } from './json.ts'
import { linesTarget } from './lines.ts'
import { messagesTarget } from './messages.ts'
import { oauthTarget } from './oauth.ts'
import { schemaTarget } from './schema.ts'
import type { FuzzTarget } from './target.ts'
import { templatesTarget } from './templates.ts'

export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  jsonTarget,
  linesTarget,
  eventsTarget,
  httpTarget,
  messagesTarget,
  templatesTarget,
  schemaTarget,
  oauthTarget,
]
