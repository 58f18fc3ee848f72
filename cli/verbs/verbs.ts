// The code of each verb, loaded when it is used.
import type { VerbModule } from './invocation.ts'

export const VERB_MODULES: Readonly<Partial<Record<string, VerbModule>>> = {
  run: { load: async () => (await import('./run.ts')).runVerb, handlesSignals: true },
  worker: { load: async () => (await import('./worker.ts')).workerVerb, handlesSignals: true },
  inspect: { load: async () => (await import('./inspect.ts')).inspectVerb },
  install: { load: async () => (await import('./install.ts')).installVerb },
  uninstall: { load: async () => (await import('./install.ts')).uninstallVerb },
  version: { load: async () => (await import('./version.ts')).versionVerb },
}
