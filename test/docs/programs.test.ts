// docs D5: every block of code on a page is a file, and every program prints what the page shows.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

interface Block {
  file: string | undefined
  language: string
  code: string
}

const { compilePrograms, findBlocks, findPages, findPrograms, runProgram } = (await import(
  /* @vite-ignore */ new URL('scripts/lib/snippets.js', root).href
)) as {
  compilePrograms(programs: string[]): Promise<void>
  findBlocks(text: string): Block[]
  findPages(): string[]
  findPrograms(): { program: string; output: string }[]
  runProgram(program: string): Promise<string>
}

/** Commands and what they print: test/docs/command-line.test.ts runs those with a prompt. */
const SHELL = ['sh', 'console']

/** Blocks that show the shape of something, and no program. */
const SHAPES: Record<string, readonly string[]> = {
  // test/docs or cli/test runs the command.
  'docs/doctor.md': ['text'],
  'docs/providers.md': ['text'],
  // The rights that test/engines gives a user.
  'docs/nats.md': [''],
  'docs/redis.md': [''],
  'docs/postgres.md': ['sql'],
  'docs/project/architecture.md': [''],
  'docs/project/interop.md': ['text'],
  'docs/sessions.md': [''],
  'docs/skills.md': ['md', 'text'],
}

const pages = findPages()
const blocks = pages.flatMap((page) => findBlocks(read(page)).map((block) => ({ page, ...block })))
const programs = findPrograms()

describe('docs D5: code on pages', () => {
  it('compose X101: is a file under docs/examples, shown as it is', () => {
    const loose = blocks.filter(
      ({ page, file, language }) =>
        file === undefined && !SHELL.includes(language) && !SHAPES[page]?.includes(language),
    )
    expect(loose.map(({ page, code }) => `${page}: ${code.split('\n')[0]}`)).toEqual([])
    for (const { page, file, code } of blocks) {
      if (file !== undefined) expect(code, `${page} shows ${file}; npm run docs:snippets writes it`).toBe(read(file))
    }
  })

  it('is on a page: no file under docs/examples is unused', () => {
    const shown = new Set(blocks.map(({ file }) => file))
    const files = readdirSync(new URL('docs/examples', root), { recursive: true, encoding: 'utf8' })
      .map((file) => `docs/examples/${file.replaceAll('\\', '/')}`)
      .filter((file) => /\.\w+$/.test(file) && !/^docs\/examples\/(?:errors|skills)\//.test(file))
    expect(files.filter((file) => !shown.has(file) && !UNSHOWN.includes(file))).toEqual([])
  })

  it('has at most 45 lines and 100 columns in guides', () => {
    const large = programs.filter(({ program }) => {
      const lines = read(program).split('\n')
      return (lines.length > 46 && program !== BOTH_SIDES) || lines.some((line) => line.length > 100)
    })
    expect(large).toEqual([])
  })
})

/** An extension with the parts of server and client. */
const BOTH_SIDES = 'docs/examples/vendor-extension.ts'

/** Programs that tests use and pages name. */
const UNSHOWN = ['calculator-server', 'dev-shop', 'dispatcher'].map((name) => `docs/examples/${name}.ts`)

describe('docs D5: the program', () => {
  beforeAll(() => compilePrograms(programs.map(({ program }) => program)))

  it.concurrent.each(programs)('$program prints what was recorded', async ({ program, output }) => {
    expect(existsSync(new URL(program, root))).toBe(true)
    expect(await runProgram(program)).toBe(read(output))
  })
})
