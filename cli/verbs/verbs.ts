// The code of each verb, loaded when it is used.
import type { VerbModule } from './shared/invocation.ts'

export const VERB_MODULES: Readonly<Partial<Record<string, VerbModule>>> = {
  init: { load: async () => (await import('./init.ts')).initVerb },
  run: { load: async () => (await import('./run.ts')).runVerb, handlesSignals: true },
  dev: { load: async () => (await import('./dev.ts')).devVerb },
  proxy: { load: async () => (await import('./proxy.ts')).proxyVerb, handlesSignals: true },
  openapi: { load: async () => (await import('./openapi.ts')).openAPIVerb, handlesSignals: true },
  worker: { load: async () => (await import('./worker.ts')).workerVerb, handlesSignals: true },
  migrate: { load: async () => (await import('./migrate.ts')).migrateVerb },
  list: { load: async () => (await import('./list.ts')).listVerb },
  call: { load: async () => (await import('./call.ts')).callVerb },
  read: { load: async () => (await import('./read.ts')).readVerb },
  prompt: { load: async () => (await import('./prompt.ts')).promptVerb },
  listen: { load: async () => (await import('./listen.ts')).listenVerb },
  tasks: { load: async () => (await import('./tasks.ts')).tasksVerb },
  inspect: { load: async () => (await import('./inspect.ts')).inspectVerb },
  doctor: { load: async () => (await import('./doctor.ts')).doctorVerb },
  install: { load: async () => (await import('./install.ts')).installVerb },
  uninstall: { load: async () => (await import('./install.ts')).uninstallVerb },
  servers: { load: async () => (await import('./servers.ts')).serversVerb },
  login: { load: async () => (await import('./login.ts')).loginVerb },
  logout: { load: async () => (await import('./login.ts')).logoutVerb },
  conformance: { load: async () => (await import('./conformance.ts')).conformanceVerb },
  completion: { load: async () => (await import('./completion.ts')).completionVerb },
  version: { load: async () => (await import('./version.ts')).versionVerb },
}
