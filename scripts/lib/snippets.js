// Code on pages is a file under docs/examples: the comment before a block names it. A program with a recorded output prints just that.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './run.js'

const RUN_LIMIT_MS = 60_000
const BLOCK = /(?:<!-- (docs\/examples\/[\w./-]+) -->\n)?^```([\w-]*)\n([\s\S]*?)^```$/gm

/** Every fenced block of a page: the file that it shows, its language, and its text. */
export function findBlocks(text) {
  return [...text.matchAll(BLOCK)].map(([, file, language, code]) => ({ file, language, code }))
}

/** The page with each block as its file is now. */
export function fillBlocks(text) {
  return text.replaceAll(BLOCK, (block, file, language) => {
    if (file === undefined || !existsSync(new URL(file, root))) return block
    return `<!-- ${file} -->\n\`\`\`${language}\n${readFileSync(new URL(file, root), 'utf8')}\`\`\``
  })
}

/** All pages that people write: those about errors and commands are written from tables. */
export function findPages() {
  const files = readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' })
  const pages = files.map((file) => `docs/${file.replaceAll('\\', '/')}`)
  const isWritten = (page) => page.endsWith('.md') && !/^docs\/(?:examples|errors|cli)\//.test(page)
  return ['README.md', ...pages.filter(isWritten).sort()]
}

/** Programs under docs/examples that have a recorded output beside them. */
export function findPrograms() {
  const files = readdirSync(new URL('docs/examples', root), { recursive: true, encoding: 'utf8' })
  const outputs = files
    .map((file) => `docs/examples/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.out'))
  return outputs.sort().map((output) => ({ program: output.replace(/\.out$/, '.ts'), output }))
}

/** Compiles programs into build/docs, where they find the built package by its name. */
export async function compilePrograms(programs) {
  const { build } = await import('esbuild')
  mkdirSync(new URL('build/docs', root), { recursive: true })
  await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: programs,
    outbase: 'docs/examples',
    outdir: 'build/docs',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  })
}

/** What a compiled program prints on stdout. Rejects where it fails, or says on stderr more than where it listens. */
export function runProgram(program) {
  const file = fileURLToPath(new URL(program.replace('docs/examples/', 'build/docs/').replace(/\.ts$/, '.js'), root))
  return new Promise((resolve, reject) => {
    const options = { cwd: dirname(file), timeout: RUN_LIMIT_MS, env: { ...process.env, NO_COLOR: '1' } }
    execFile(process.execPath, [file], options, (error, stdout, stderr) => {
      const complaints = stderr.split('\n').filter((line) => line !== '' && !/ listens on https?:/.test(line))
      if (error === null && complaints.length === 0) resolve(stdout)
      else reject(new Error(`${program} failed: ${stderr || error?.message}`))
    })
  })
}
