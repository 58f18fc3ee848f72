// Names of an entry point that most programs do not use stand in a file of their own, as constants: where it only passed them on, a
// bundler would load with the entry point whatever they come from, also for programs that name none of them.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const PASSED_ON = /^export \{([^}]+)\} from ('[^']+')$/gm

/** For esbuild. With `isApart`, the entry points import the files by their names in the package. */
export function furtherNames({ isApart }) {
  return {
    name: 'further-names',
    setup({ onLoad, onResolve }) {
      if (isApart) {
        onResolve({ filter: /\/further\/\w+\.ts$/ }, ({ path, kind }) =>
          kind === 'entry-point'
            ? undefined
            : { path: `./further/${basename(path, '.ts')}.js`, external: true, sideEffects: false },
        )
      }
      onLoad({ filter: /[\\/]src[\\/]further[\\/]\w+\.ts$/ }, ({ path }) => {
        return { contents: readFileSync(path, 'utf8').replace(PASSED_ON, toConstants), loader: 'ts' }
      })
    },
  }
}

function toConstants(_statement, list, from) {
  const names = list.split(',').map((name) => name.trim())
  const imported = names.map((name) => `${name} as its_${name}`).join(', ')
  const constants = names.map((name) => `export const ${name} = its_${name}`).join('\n')
  return `import { ${imported} } from ${from}\n${constants}`
}
