// The dependencies in package.json: mcpwire in, the SDK out where nothing uses it any more.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { sdkVersionOf } from './source/sdk-names.ts'

export interface PackageNeeds {
  /** The version of this package. */
  readonly version: string
  /** Whether a file still imports from the SDK. */
  readonly keepsSdk: boolean
  readonly usesZod: boolean
}

/** Older ones do not describe their schemas. */
const ZOD = '^4.2.0'
const SECTIONS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

const TOOLS = ['mcpwire', 'ts-morph']

/** What a package.json says, without the packages that `mcpwire migrate` needs itself. */
export function withoutTools(text: string): unknown {
  const content: unknown = parse(text)
  if (typeof content !== 'object' || content === null) return content
  const entries = Object.entries(content).flatMap(([key, value]: [string, unknown]) => {
    if (!SECTIONS.includes(key) || typeof value !== 'object' || value === null) return [[key, value]]
    const others = Object.entries(value).filter(([name]) => !TOOLS.includes(name))
    return others.length === 0 ? [] : [[key, Object.fromEntries(others)]]
  })
  return Object.fromEntries(entries)
}

/** The package.json that a file belongs to. */
export function packageFileOf(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = join(folder, 'package.json')
    if (existsSync(found)) return found
    if (folder === dirname(folder)) return undefined
  }
}

/** The new text; the old one where nothing changes, or where it is not JSON. */
export function rewritePackage(text: string, { version, keepsSdk, usesZod }: PackageNeeds): string {
  const errors: ParseError[] = []
  const content: unknown = parse(text, errors)
  if (errors.length > 0 || typeof content !== 'object' || content === null) return text
  const sections = content as Record<string, Record<string, string> | undefined>
  let result = text
  const set = (section: string, name: string, value: string | undefined) => {
    const indent = /\n([ \t]+)"/.exec(result)?.[1] ?? '  '
    const formattingOptions = {
      insertSpaces: !indent.includes('\t'),
      tabSize: indent.length,
      eol: result.includes('\r\n') ? '\r\n' : '\n',
    }
    result = applyEdits(result, modify(result, [section, name], value, { formattingOptions }))
  }
  const usesSdk = SECTIONS.filter((section) =>
    Object.keys(sections[section] ?? {}).some((name) => sdkVersionOf(name) !== undefined),
  )
  const home = usesSdk[0] ?? 'dependencies'
  const has = (name: string) => SECTIONS.find((section) => sections[section]?.[name] !== undefined)
  if (has('mcpwire') === undefined) set(home, 'mcpwire', `^${version}`)
  if (!keepsSdk) {
    for (const section of usesSdk) {
      for (const name of Object.keys(sections[section] ?? {}))
        if (sdkVersionOf(name) !== undefined) set(section, name, undefined)
    }
  }
  const zodSection = has('zod')
  const zodRange = zodSection === undefined ? undefined : sections[zodSection]?.['zod']
  if (usesZod && zodSection === undefined) set(home, 'zod', ZOD)
  else if (zodSection !== undefined && isOlderZod(zodRange)) set(zodSection, 'zod', ZOD)
  return result
}

function isOlderZod(range: string | undefined): boolean {
  const [, major, minor] = /^[~^]?(\d+)(?:\.(\d+))?/.exec(range ?? '') ?? []
  if (major === undefined) return false
  return Number(major) < 4 || (Number(major) === 4 && Number(minor ?? 0) < 2)
}

export function readPackage(file: string): string {
  return readFileSync(file, 'utf8')
}
