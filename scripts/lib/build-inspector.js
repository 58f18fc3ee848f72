// Builds the page of the inspector into dist/inspector: one script, one style sheet, one document.
import { copyFileSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeLicences } from './licences.js'
import { root } from './run.js'

/** @param build that of esbuild */
export async function buildInspector(build) {
  const folder = new URL('dist/inspector/', root)
  mkdirSync(folder, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: { app: 'inspector/page/main.tsx' },
    outdir: 'dist/inspector',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: { app: 'inspector/page/styles/app.css' },
    outdir: 'dist/inspector',
    bundle: true,
    minify: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    logLevel: 'warning',
  })
  copyFileSync(new URL('inspector/page/index.html', root), new URL('index.html', folder))
  writeLicences(metafile, 'dist/inspector/licences.txt')
}
