// mcpwire install and uninstall: a target becomes an entry in the config of a host.
import { install, uninstall } from '../install/install.ts'
import { tryEntry } from '../install/try-entry.ts'
import { findStartProblems, nameTarget, parseTarget, type TargetOptions } from '../target/install-target.ts'
import { isRunByUs } from '../target/target.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Invocation } from './invocation.ts'

interface InstallOptions extends TargetOptions {
  name?: string
  host?: string
  config?: string
  project?: boolean
  force?: boolean
  dryRun?: boolean
  check?: boolean
}

export async function installVerb({
  words,
  afterDashes = [],
  options,
  output,
}: Invocation<InstallOptions>): Promise<number> {
  const target = [...words, ...afterDashes]
  const entry = await parseTarget(target, options)
  const { check: isChecked, name, host, config, project, force, dryRun } = options
  const check = isChecked !== false && isRunByUs(entry) ? () => tryEntry(entry) : undefined
  await install(
    {
      name: name ?? nameTarget(target),
      entry,
      ...given({ host, config, project, force, dryRun, check }),
    },
    output,
  )
  for (const problem of findStartProblems(entry)) output.note(problem)
  return EXIT.done
}

export async function uninstallVerb({ words, options, output }: Invocation<InstallOptions>): Promise<number> {
  const { host, config, project, dryRun } = options
  await uninstall({ name: words[0] ?? '', ...given({ host, config, project, dryRun }) }, output)
  return EXIT.done
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>
}
