// mcpwire init: creates a project from a template, and installs its packages.
import { basename, relative, resolve } from 'node:path'
import { detectPackageManager, installArguments, inWordsOf, type PackageManager } from '../init/package-managers.ts'
import { createProjectFiles, dependenciesOf } from '../init/project-files.ts'
import { assertName, nameFromFolder } from '../init/project-name.ts'
import { askForChoices, type Choices, hasTerminal } from '../init/questions.ts'
import { assertTool, runTool } from '../init/run-tool.ts'
import { DEFAULT_TEMPLATE, findTemplate } from '../init/templates.ts'
import { writeProject } from '../init/write-project.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'

interface InitOptions {
  template?: string
  name?: string
  pm?: PackageManager
  install?: boolean
  git?: boolean
  yes?: boolean
}

export async function initVerb(invocation: Invocation<InitOptions>): Promise<number> {
  const { options, output, interruption } = invocation
  const { folder: typed, template, packageManager, git } = await findChoices(invocation)
  const folder = resolve(typed)
  const installs = options.install !== false
  const dependencies = dependenciesOf(template)
  const name = assertName(options.name ?? nameFromFolder(basename(folder), findTemplate(template).folder), dependencies)
  if (installs)
    assertTool(packageManager, `Install ${packageManager}, or choose another with --pm, or use --no-install.`)
  if (git) assertTool('git', 'Install git, or leave out --git.')
  const files = createProjectFiles({ template, name, packageManager })
  await writeProject(folder, files)
  output.note(`Created ${files.size} files in ${showLine(typed)}.`)
  const run = { cwd: folder, shows: options.quiet !== true, signal: interruption }
  if (git) await initGit(run)
  if (installs) await installPackages(packageManager, run)
  const project = { folder, template, name, packageManager, files: [...files.keys()], installed: installs, git }
  if (output.isJSON) output.print(showJSON(project))
  else output.print(showNextSteps(project))
  return EXIT.done
}

/** From the command line; the rest from questions on a terminal, or from the defaults. */
async function findChoices({ words, options, output }: Invocation<InitOptions>): Promise<Choices> {
  const [folder] = words
  const { template, pm, git } = options
  const defaults = { template: DEFAULT_TEMPLATE, packageManager: detectPackageManager(process.env), git: false }
  const given = {
    ...(folder !== undefined && { folder }),
    ...(template !== undefined && { template }),
    ...(pm !== undefined && { packageManager: pm }),
    ...(git !== undefined && { git }),
  }
  if (options.yes !== true && !output.isJSON && hasTerminal(process)) return askForChoices(given, defaults, process)
  const choices = { ...defaults, ...given }
  return { folder: findTemplate(choices.template).folder, ...choices }
}

type Run = Parameters<typeof runTool>[2]

async function initGit(run: Run): Promise<void> {
  const code = await runTool('git', ['init', '--quiet'], run)
  if (code !== 0) throw toolFailure('git init', code, run)
}

async function installPackages(packageManager: PackageManager, run: Run): Promise<void> {
  const code = await runTool(packageManager, installArguments(packageManager), run)
  if (code !== 0) throw toolFailure(`${packageManager} install`, code, run)
}

function toolFailure(command: string, code: number, { cwd }: Run): Failure {
  return new Failure(`${command} failed with exit code ${code}. The files of the project are in ${showLine(cwd)}.`, {
    slug: 'install-failed',
    hint: `Correct what it reports, then run ${command} in that folder.`,
  })
}

interface Project {
  readonly folder: string
  readonly template: string
  readonly name: string
  readonly packageManager: PackageManager
  readonly installed: boolean
}

function showNextSteps({ folder, template, name, packageManager, installed }: Project): string {
  const way = relative(process.cwd(), folder)
  const { firstCommand, moreCommands } = findTemplate(template)
  const steps = [
    ...(way === '' ? [] : [`cd ${/^[\w./@-]+$/.test(way) ? way : JSON.stringify(way)}`]),
    ...(installed ? [] : [`${packageManager} install`]),
    inWordsOf(packageManager, firstCommand),
    ...(moreCommands === undefined ? [inWordsOf(packageManager, 'npm run dev')] : []),
    ...(moreCommands ?? []).map((command) => `${inWordsOf(packageManager, command)}   # in another terminal`),
  ]
  return [`${name} is ready. Next:`, ...steps.map((step) => `  ${showLine(step)}`)].join('\n')
}
