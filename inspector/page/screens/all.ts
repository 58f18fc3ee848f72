// The screens by name.
import type { JSX } from 'preact'
import type { ScreenName } from '../state/route.ts'
import { Apps } from './apps.tsx'
import { Auth } from './auth.tsx'
import { Connect } from './connect.tsx'
import { Logs } from './logs.tsx'
import { Messages } from './messages.tsx'
import { Overview } from './overview.tsx'
import { Prompts } from './prompts.tsx'
import { Questions } from './questions.tsx'
import { Resources } from './resources.tsx'
import { Tasks } from './tasks.tsx'
import { Timeline } from './timeline.tsx'
import { Tools } from './tools.tsx'
import { WeightScreen } from './weight.tsx'

export const SCREEN_PARTS: Readonly<Record<ScreenName, () => JSX.Element>> = {
  connect: Connect,
  overview: Overview,
  tools: Tools,
  resources: Resources,
  prompts: Prompts,
  questions: Questions,
  tasks: Tasks,
  apps: Apps,
  messages: Messages,
  timeline: Timeline,
  logs: Logs,
  auth: Auth,
  weight: WeightScreen,
}
