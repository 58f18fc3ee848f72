// All verbs, in the order of the help. An entry here and a line in cli/verbs/verbs.ts make a verb.
import { dev, init, migrate, run, worker } from './build-verbs.ts'
import { doctor, inspect } from './debug-verbs.ts'
import { install, servers, uninstall } from './host-verbs.ts'
import { login, logout } from './login-verbs.ts'
import { completion, version } from './other-verbs.ts'
import { conformance } from './ship-verbs.ts'
import { call, list, listen, prompt, read, tasks } from './use-verbs.ts'
import type { VerbHelp } from './verb-help.ts'

export const VERBS: readonly VerbHelp[] = [
  init,
  dev,
  run,
  worker,
  migrate,
  list,
  call,
  read,
  prompt,
  listen,
  tasks,
  inspect,
  doctor,
  install,
  uninstall,
  servers,
  login,
  logout,
  conformance,
  completion,
  version,
]
