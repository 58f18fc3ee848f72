// Makes one file of chunks that are loaded together. To find and open a module costs Node more than to read it, and the
// bundler makes a chunk for every combination of doors and dynamic imports that share something.
import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'

/**
 * Rewrites what esbuild has written. Merges what the `main` door loads; `precise` doors load nothing more than before, while
 * others may get what they do not use along with what they do.
 */
export async function mergeChunks(build, options, metafile, doors) {
  const root = options.absWorkingDir
  const outputs = new Map(
    Object.entries(metafile.outputs)
      .filter(([path]) => path.endsWith('.js'))
      .map(([path, output]) => [resolve(root, path), output]),
  )
  const homes = findHomes(root, outputs, doors)
  const names = [...new Set([...homes.values()].map(({ name }) => name))]
  const chunks = resolve(root, options.outdir, 'chunks')
  const settings = {
    ...options,
    entryPoints: undefined,
    outdir: undefined,
    splitting: false,
    metafile: false,
    write: false,
  }

  const merged = names.map((name) =>
    build({
      ...settings,
      stdin: { contents: listExports(name, homes, outputs), resolveDir: chunks, sourcefile: `${name}.js` },
      outfile: resolve(chunks, `${name}.js`),
      plugins: [relink(homes, outputs, chunks, name)],
    }),
  )
  const others = [...outputs.keys()]
    .filter((path) => !homes.has(path))
    .map((path) =>
      build({ ...settings, entryPoints: [path], outfile: path, plugins: [relink(homes, outputs, dirname(path))] }),
    )
  const written = (await Promise.all([...merged, ...others])).flatMap(({ outputFiles }) => outputFiles)
  for (const path of homes.keys()) for (const file of [path, `${path}.map`]) rmSync(file, { force: true })
  for (const { path, contents } of written) writeFileSync(path, contents)
}

/** The file that each chunk will be part of, for those that the `main` door loads. All others stay as they are. */
function findHomes(root, outputs, { main, precise }) {
  const doors = new Map([...outputs.keys()].map((path) => [basename(path, '.js'), path]))
  const loadedBy = (door) => reach(root, outputs, doors.get(door))
  const loaded = precise.map((door) => [door, loadedBy(door)])
  const homes = new Map()
  for (const path of loadedBy(main)) {
    if (outputs.get(path).entryPoint !== undefined) continue
    // Whatever a chunk imports is loaded by the same doors at least, so the merged files import each other one way only.
    const users = loaded.filter(([, files]) => files.has(path)).map(([door]) => door)
    homes.set(path, { name: [main, ...users].join('-'), prefix: `m${homes.size}_` })
  }
  return homes
}

function reach(root, outputs, start) {
  const seen = new Set()
  const visit = (path) => {
    if (seen.has(path) || !outputs.has(path)) return
    seen.add(path)
    for (const { path: next, kind } of outputs.get(path).imports) {
      if (kind === 'import-statement') visit(resolve(root, next))
    }
  }
  visit(start)
  return seen
}

/** All that the chunks of one file export, under names that are unique there. */
function listExports(name, homes, outputs) {
  return [...homes]
    .filter(([, home]) => home.name === name)
    .map(([path, { prefix }]) => {
      const renamed = outputs.get(path).exports.map((exported) => `${exported} as ${prefix}${exported}`)
      return `export { ${renamed.join(', ')} } from ${JSON.stringify(path)}`
    })
    .join('\n')
}

/** Imports of chunks become imports of the files that they are part of now, seen from `folder`. */
function relink(homes, outputs, folder, current) {
  const towards = (path) => {
    const way = relative(folder, path).replaceAll('\\', '/')
    return way.startsWith('.') ? way : `./${way}`
  }
  return {
    name: 'relink',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[./]/ }, ({ path, resolveDir, kind, namespace }) => {
        if (kind === 'entry-point') return undefined
        if (namespace === 'moved') return { path, external: true }
        const target = resolve(resolveDir, path)
        const home = homes.get(target)
        if (home === undefined) return { path: towards(target), external: true }
        if (home.name === current) return { path: target }
        return { path: basename(target), namespace: 'moved', pluginData: target }
      })
      onLoad({ filter: /./, namespace: 'moved' }, ({ pluginData: chunk }) => {
        const { name, prefix } = homes.get(chunk)
        const renamed = outputs.get(chunk).exports.map((exported) => `${prefix}${exported} as ${exported}`)
        const file = towards(resolve(dirname(chunk), `${name}.js`))
        return { contents: `export { ${renamed.join(', ')} } from ${JSON.stringify(file)}`, resolveDir: folder }
      })
    },
  }
}
