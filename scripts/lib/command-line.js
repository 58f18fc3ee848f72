// Builds dist/cli. The command line uses the package by its name; its own dependencies are part of it, so that users install none of
// them.
import { cpSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { writeLicences } from './licences.js'
import { root } from './run.js'

export async function buildCommandLine(build) {
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
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    // The table of hosts comes with code that asks questions and writes other formats, none of which is used.
    plugins: [withoutSideEffects(/^(?:@clack\/prompts|@iarna\/toml|js-yaml|jsonc-parser)$/), withoutComments()],
    // Long chains of calls would be one line otherwise.
    lineLimit: 200,
    metafile: true,
    logLevel: 'warning',
  })
  cpSync(new URL('cli/templates', root), new URL('dist/cli/templates', root), { recursive: true })
  writeLicences(commandLine.metafile, 'dist/cli/licences.txt')
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
      onLoad({ filter: /\/node_modules\/commander\/.*\.m?js$/ }, async ({ path }) => {
        const { code } = await esbuild.transform(await readFile(path, 'utf8'), { minifyWhitespace: true })
        return { contents: code, loader: 'js' }
      })
    },
  }
}
