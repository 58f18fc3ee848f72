// The screens by name.
import type { JSX } from 'preact'
import type { ScreenName } from '../state/route.ts'
import { Connect } from './connect.tsx'
import { Messages } from './messages.tsx'
import { Overview } from './overview.tsx'
import { Prompts } from './prompts.tsx'
import { Questions } from './questions.tsx'
import { Resources } from './resources.tsx'
import { Tools } from './tools.tsx'

export const SCREEN_PARTS: Readonly<Record<ScreenName, () => JSX.Element>> = {
  connect: Connect,
  overview: Overview,
  tools: Tools,
  resources: Resources,
  prompts: Prompts,
  questions: Questions,
  messages: Messages,
}
