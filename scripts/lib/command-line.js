// Builds dist/cli. The command line uses the package by its name; its own dependencies are part of it, so that users install none of
// them.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { withoutClassComments } from './class-comments.js'
import { writeLicences } from './licences.js'
import { root } from './run.js'

const BANNER =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);"
/** Node prints the line above every uncaught error: none is endless. */
const LINE_LIMIT = 200

export async function buildCommandLine(build, transform) {
  const packages = readdirSync(new URL('cli/packages', root)).map((file) => file.replace('.ts', ''))
  const commandLine = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [
      { in: 'cli/main.ts', out: 'mcpwire' },
      { in: 'cli/serving/serve-stdio.ts', out: 'serve-stdio' },
      { in: 'cli/dev/child/program.ts', out: 'dev/child' },
      { in: 'cli/dev/child/loaded-files-hooks.ts', out: 'dev/loaded-files-hooks' },
      { in: 'cli/typescript/register.ts', out: 'typescript/register' },
      { in: 'cli/typescript/hooks.ts', out: 'typescript/hooks' },
      { in: 'cli/typescript/transform.ts', out: 'typescript/transform' },
      ...packages.map((name) => ({ in: `cli/packages/${name}.ts`, out: `packages/${name}` })),
    ],
    outdir: 'dist/cli',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['mcpwire', 'mcpwire/*'],
    mainFields: ['module', 'main'],
    // Some of them are CommonJS and ask for Node's modules that way.
    banner: { js: BANNER },
    // The table of hosts comes with code that asks questions and writes other formats, none of which is used.
    plugins: [
      withoutSideEffects(/^(?:@clack\/prompts|@iarna\/toml|js-yaml|jsonc-parser)$/),
      withoutComments(),
      withoutClassComments,
    ],
    // Long chains of calls would be one line otherwise.
    lineLimit: LINE_LIMIT,
    metafile: true,
    logLevel: 'warning',
  })
  await tidyFiles(commandLine.metafile)
  await shorten(transform, commandLine.metafile)
  // Only their chunks are used.
  rmSync(new URL('dist/cli/packages', root), { recursive: true })
  cpSync(new URL('cli/templates', root), new URL('dist/cli/templates', root), { recursive: true })
  writeLicences(commandLine.metafile, 'dist/cli/licences.txt')
}

/** Most files ask for nothing by `require`, and no file says from which sources it was made. */
async function tidyFiles({ outputs }) {
  await Promise.all(
    Object.keys(outputs).map(async (path) => {
      const file = new URL(path, root)
      const code = (await readFile(file, 'utf8')).replaceAll(/^\/\/ (?:cli|inspector|node_modules|src)\/.*\n/gm, '')
      const rest = code.replace(`${BANNER}\n`, '')
      await writeFile(file, /\brequire\b/.test(rest) ? code : rest)
    }),
  )
}

/**
 * Nobody reads the code of other packages here: files that hold hardly anything else are minified, for a smaller installation. Those of
 * ours lose their white space and keep all names, so that a stack still says where it was.
 */
async function shorten(transform, { outputs }) {
  await Promise.all(
    Object.entries(outputs).map(async ([path, { inputs }]) => {
      const parts = Object.entries(inputs)
      const size = (some) => some.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)
      const isForeign = size(parts.filter(([part]) => part.includes('node_modules/'))) > 0.9 * size(parts)
      const file = new URL(path, root)
      const { code } = await transform(await readFile(file, 'utf8'), {
        ...(isForeign ? { minify: true } : { minifyWhitespace: true }),
        format: 'esm',
        target: 'node20.19',
        lineLimit: LINE_LIMIT,
        legalComments: 'none',
      })
      await writeFile(file, code)
    }),
  )
}

/** Packages that are only there for those who use their names. */
function withoutSideEffects(filter) {
  return {
    name: 'without-side-effects',
    setup({ onResolve, resolve }) {
      onResolve({ filter }, async ({ path, pluginData, ...given }) => {
        if (pluginData === 'resolving') return undefined
        return { ...(await resolve(path, { ...given, pluginData: 'resolving' })), sideEffects: false }
      })
    },
  }
}

/** Comments inside classes of packages would be half of what a command loads. Licences are in a file of their own. */
function withoutComments() {
  return {
    name: 'without-comments',
    setup({ onLoad, esbuild }) {
      onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, async ({ path }) => {
        const { code } = await esbuild.transform(await readFile(path, 'utf8'), { minifyWhitespace: true })
        return { contents: code, loader: 'js' }
      })
    },
  }
}
