// Plans a migration: which files change, to what, and what is left to do. Writes nothing.
import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Project, SourceFile } from 'ts-morph'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { readVersion } from '../terminal/version.ts'
import { loadTsMorph, type TsMorph } from './load-ts-morph.ts'
import { packageFileOf, readPackage, rewritePackage } from './package-json.ts'
import { rewriteFiles } from './rewrite/rewrite.ts'
import { MARK } from './source/migration.ts'
import type { SdkVersion } from './source/sdk-names.ts'

export interface FileChange {
  readonly path: string
  /** From the working directory. */
  readonly name: string
  readonly before: string
  readonly after: string
  readonly callSites: number
  readonly marked: number
  /** Places that work, and may mean something else: state that users would share. */
  readonly toCheck: number
}

export interface LeftMark {
  readonly file: string
  /** In the new text. */
  readonly line: number
  readonly todo: string
}

export interface MigrationPlan {
  readonly changes: readonly FileChange[]
  readonly callSites: number
  readonly marked: number
  readonly toCheck: number
  /** All that is left, with what is to be checked. */
  readonly marks: readonly LeftMark[]
  readonly notes: readonly string[]
  /** Whether any file imports the SDK. */
  readonly usesSdk: boolean
}

export async function planMigration(
  files: readonly string[],
  folders: readonly string[],
  from?: SdkVersion,
): Promise<MigrationPlan> {
  const morph = await loadTsMorph(folders)
  const project = createProject(morph, files)
  const sources = project.getSourceFiles()
  checkSyntax(project, sources)
  const { migration, stillUseSdk } = rewriteFiles(sources, from)
  const changes: FileChange[] = []
  for (const [source, after] of migration.results()) {
    const path = source.getFilePath()
    const sites = migration.sites.filter(({ file }) => file === path)
    changes.push({
      path,
      name: nameOf(path),
      before: source.getFullText(),
      after,
      callSites: sites.length,
      marked: sites.filter(({ mark }) => mark !== undefined).length,
      toCheck: migration.checks.filter((file) => file === path).length,
    })
  }
  const kept = new Set(stillUseSdk.map((source) => packageFileOf(source.getFilePath())))
  return {
    changes: [...changes, ...packageChanges(changes, kept)],
    callSites: migration.sites.length,
    marked: migration.sites.filter(({ mark }) => mark !== undefined).length,
    toCheck: migration.checks.length,
    marks: changes.flatMap(findMarks),
    notes: [...migration.notes],
    usesSdk: migration.usesSdk,
  }
}

/** Only the given files: types of packages are not needed, and reading them would take most of the time. */
function createProject(morph: TsMorph, files: readonly string[]): Project {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = morph
  const tsconfig = resolve('tsconfig.json')
  const compilerOptions = {
    allowJs: true,
    checkJs: false,
    noEmit: true,
    noLib: true,
    noResolve: true,
    types: [],
    module: ModuleKind.ESNext,
    moduleResolution: ModuleResolutionKind.Bundler,
    target: ScriptTarget.ESNext,
  }
  const options = { compilerOptions, skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true }
  const project = new morph.Project(existsSync(tsconfig) ? { ...options, tsConfigFilePath: tsconfig } : options)
  for (const file of files) project.addSourceFileAtPath(file)
  return project
}

function checkSyntax(project: Project, sources: readonly SourceFile[]): void {
  for (const source of sources) {
    const [problem] = project.getProgram().getSyntacticDiagnostics(source)
    if (problem === undefined) continue
    const text = problem.getMessageText()
    throw new Failure(
      `${nameOf(source.getFilePath())}:${problem.getLineNumber()}: ${typeof text === 'string' ? text : text.getMessageText()}`,
      {
        slug: 'file-cannot-load',
        exitCode: EXIT.noConnection,
        hint: 'Correct the syntax error, or name the files to migrate.',
      },
    )
  }
}

function packageChanges(changes: readonly FileChange[], kept: ReadonlySet<string | undefined>): FileChange[] {
  const byPackage = new Map<string, FileChange[]>()
  for (const change of changes) {
    const file = packageFileOf(change.path)
    if (file !== undefined) byPackage.set(file, [...(byPackage.get(file) ?? []), change])
  }
  return [...byPackage].flatMap(([path, own]) => {
    const before = readPackage(path)
    const usesZod = own.some(({ after }) => /from\s+['"]zod['"/]|require\(['"]zod['"]\)/.test(after))
    const after = rewritePackage(before, { version: readVersion(), keepsSdk: kept.has(path), usesZod })
    return after === before ? [] : [{ path, name: nameOf(path), before, after, callSites: 0, marked: 0, toCheck: 0 }]
  })
}

function findMarks({ name, after }: FileChange): LeftMark[] {
  return after.split('\n').flatMap((text, index) => {
    const [, todo] = text.split(`// ${MARK} `)
    return todo === undefined ? [] : [{ file: name, line: index + 1, todo }]
  })
}

function nameOf(path: string): string {
  return relative(process.cwd(), path).replaceAll('\\', '/')
}
