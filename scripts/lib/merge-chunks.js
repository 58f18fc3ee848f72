// Makes one file of chunks that are loaded together. To find and open a module costs Node more than to read it, and the
// bundler makes a chunk for every combination of entry points and dynamic imports that share something.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'

/** What the bundler says about where a part is from: here, about chunks that are no more. */
const ORIGIN = /^\/\/ (?:dist\/|all of |moved:).*\n/gm

/**
 * Rewrites what esbuild has written. For each of `groups`, what is loaded at its `start` becomes one file per combination of its
 * `precise` entries: these load nothing more than before, while others may get what they do not use along with what they do. Of
 * what is not loaded `within` these files, if any are named, or is loaded by those `without`, a group takes nothing. With `isOfNode` it is
 * about what needs Node. What it has `also` is loaded with the file of these users. A group can be one of the parts. The rest goes with the first of `parts` that loads it, unless the part is reached from the entries `ofNode` alone and the chunk is not:
 * else every runtime would load what needs Node. Chunks `withPlatform` go with it. Chunks with a file of `common`, which import nothing, go where every entry of
 * the first group finds them.
 */
export async function mergeChunks(build, options, metafile, plan) {
  const root = options.absWorkingDir
  const outputs = new Map(
    Object.entries(metafile.outputs)
      .filter(([path]) => path.endsWith('.js'))
      .map(([path, output]) => [resolve(root, path), output]),
  )
  const homes = findHomes(root, outputs, { ...plan, chunks: resolve(root, options.outdir, 'chunks') })
  const settings = {
    ...options,
    entryPoints: undefined,
    outdir: undefined,
    splitting: false,
    metafile: false,
    write: false,
    logOverride: { 'ignored-bare-import': 'silent' },
  }

  const merged = [...new Set([...homes.values()].map(({ file }) => file))].map((file) =>
    build({
      ...settings,
      stdin: {
        contents: listExports(file, homes, outputs),
        resolveDir: dirname(file),
        sourcefile: `all of ${basename(file)}`,
      },
      outfile: file,
      plugins: [relink(homes, outputs, file)],
    }),
  )
  const others = [...outputs.keys()]
    .filter((path) => !homes.has(path))
    .map((path) => build({ ...settings, entryPoints: [path], outfile: path, plugins: [relink(homes, outputs, path)] }))
  const written = (await Promise.all([...merged, ...others])).flatMap(({ outputFiles }) => outputFiles)
  for (const path of homes.keys()) rmSync(path, { force: true })
  for (const { path, text } of written) writeFileSync(path, text.replaceAll(ORIGIN, ''))
}

/**
 * The file that each chunk will be part of. Whatever a chunk imports is loaded by the same entry points and parts at least, so the
 * merged files import each other one way only.
 */
function findHomes(root, outputs, { groups, parts, common, withPlatform, ofNode, chunks }) {
  const entries = new Map([...outputs].map(([path, { entryPoint }]) => [entryPoint, path]))
  const entryOf = (source) => {
    if (!entries.has(source)) throw new Error(`${source} is neither an entry point nor imported dynamically`)
    return entries.get(source)
  }
  const loadedBy = (...sources) => new Set(sources.flatMap((source) => [...reach(root, outputs, entryOf(source))]))
  const isEntry = (path) => outputs.get(path).entryPoint !== undefined

  const homes = new Map()
  const inCommon = new Set(common.map((source) => chunkOf(outputs, source)))
  const portable = findPortable(root, outputs, ofNode)
  const join = (path, file) => homes.set(path, { file, prefix: `m${homes.size.toString(36).padStart(2, '0')}` })
  const addPart = (part) => {
    const file = entryOf(part)
    // What others import by its name keeps that name.
    homes.set(file, { file, prefix: '' })
    if (part === withPlatform.file) for (const source of withPlatform.sources) join(chunkOf(outputs, source), file)
    for (const path of loadedBy(part)) {
      if (homes.has(path) || isEntry(path)) continue
      if (portable.has(path) && !portable.has(file)) continue
      join(path, file)
    }
  }
  for (const group of groups) {
    if (typeof group === 'string') {
      addPart(group)
      continue
    }
    const { name, start, precise, also, within, without = [], isOfNode = false } = group
    const area = within && loadedBy(...within)
    const apart = loadedBy(...without)
    const fileFor = (users) => resolve(chunks, `${[name, ...users].join('-')}.js`)
    if (also !== undefined) join(chunkOf(outputs, also.source), fileFor(also.users))
    const loadedPrecisely = Object.entries(precise).map(([name, sources]) => [name, loadedBy(...sources)])
    for (const path of new Set([...loadedBy(...start), ...inCommon])) {
      if (homes.has(path) || isEntry(path) || portable.has(path) === isOfNode) continue
      if (area?.has(path) === false || apart.has(path)) continue
      const users = loadedPrecisely.filter(([, files]) => inCommon.has(path) || files.has(path)).map(([name]) => name)
      join(path, fileFor(users))
    }
  }
  for (const part of parts) addPart(part)
  return homes
}

function chunkOf(outputs, source) {
  const found = [...outputs].find(([, { inputs }]) => inputs[source] !== undefined)
  if (found === undefined) throw new Error(`${source} is part of no chunk`)
  return found[0]
}

/** Everything that the entry points for every runtime load, at once or later. */
function findPortable(root, outputs, ofNode) {
  const dynamic = new Set(
    [...outputs.values()].flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => resolve(root, path)),
    ),
  )
  const entries = [...outputs].filter(
    ([path, { entryPoint }]) => entryPoint !== undefined && !ofNode.includes(entryPoint) && !dynamic.has(path),
  )
  const kinds = ['import-statement', 'dynamic-import']
  return new Set(entries.flatMap(([path]) => [...reach(root, outputs, path, kinds)]))
}

function reach(root, outputs, start, kinds = ['import-statement']) {
  const seen = new Set()
  const visit = (path) => {
    if (seen.has(path) || !outputs.has(path)) return
    seen.add(path)
    for (const { path: next, kind } of outputs.get(path).imports) {
      if (kinds.includes(kind)) visit(resolve(root, next))
    }
  }
  visit(start)
  return seen
}

/** All that others import of the chunks of one file, under names that are unique there: V8 goes through them for each global. */
function listExports(file, homes, outputs) {
  const isInside = (path) => homes.get(path)?.file === file
  const wanted = new Set([...outputs.keys()].filter((path) => !isInside(path)).flatMap(importsOf))
  return [...homes]
    .filter(([path]) => isInside(path))
    .map(([path]) => {
      const { exports, entryPoint } = outputs.get(path)
      const renamed = exports
        .filter((name) => entryPoint !== undefined || wanted.has(`${path} ${name}`))
        .map((name) => rename(name, nameWithin(homes, outputs, path, name)))
      return `export { ${renamed.join(', ')} } from ${JSON.stringify(path)}`
    })
    .join('\n')
}

/**
 * The name under which a merged file exports what a chunk calls `name`: the same, where nothing else there has it. Names of classes
 * always differ, since the bundler would rename a class of that name in the file that imports it, and users see what it is called.
 */
function nameWithin(homes, outputs, chunk, name) {
  const { file, prefix } = homes.get(chunk)
  const isTaken = () =>
    [...homes].some(
      ([other, { file: home }]) => home === file && other !== chunk && outputs.get(other).exports.includes(name),
    )
  return /^[a-z]/.test(name) && !isTaken() ? name : `${prefix}${name}`
}

function rename(name, other) {
  return name === other ? name : `${name} as ${other}`
}

/** What a file of the bundler's takes from others, as `path name`. */
function importsOf(path) {
  const statements = readFileSync(path, 'utf8').matchAll(/^import \{([^{}]+)\} from "([^"]+)"/gm)
  return [...statements].flatMap(([, names, from]) =>
    names.split(',').map((name) => `${resolve(dirname(path), from)} ${name.trim().split(' as ')[0]}`),
  )
}

/** Imports of chunks become imports of the files that they are part of now, seen from the one at `current`. */
function relink(homes, outputs, current) {
  const folder = dirname(current)
  const outside = (path) => {
    const way = relative(folder, path).replaceAll('\\', '/')
    return { path: way.startsWith('.') ? way : `./${way}`, external: true, sideEffects: false }
  }
  return {
    name: 'relink',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[./]/ }, ({ path, resolveDir, kind, namespace }) => {
        if (kind === 'entry-point') return undefined
        const target = resolve(resolveDir, path)
        if (namespace === 'moved' || kind === 'dynamic-import') return outside(target)
        const home = homes.get(target)
        if (home === undefined) return outside(target)
        if (home.file === current) return { path: target }
        return { path: basename(target), namespace: 'moved', pluginData: target, sideEffects: false }
      })
      onLoad({ filter: /./, namespace: 'moved' }, ({ pluginData: chunk }) => {
        const { file } = homes.get(chunk)
        const names = outputs.get(chunk).exports
        // One statement for each: of a statement that it needs, the bundler keeps all names.
        const from = JSON.stringify(file)
        const contents = names
          .map((name) => `export { ${rename(nameWithin(homes, outputs, chunk, name), name)} } from ${from}`)
          .join('\n')
        return { contents, resolveDir: folder }
      })
    },
  }
}
