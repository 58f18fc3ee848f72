// What users see of the package, read from the declarations that ship: the names of each entry point and the members of their
// classes and interfaces. `public-face.txt` is the reviewed list; `npx vitest run test/package -u` renews it.
import { describe, expect, it } from 'vitest'
import {
  basesOf,
  type Declaration,
  entryPoints,
  exportsOf,
  importsOf,
  type Member,
  membersOf,
  reachableFiles,
  readDeclarations,
  shippedFiles,
} from './declarations.ts'

const exported = new Map([...entryPoints()].map(([entryPoint, file]) => [entryPoint, exportsOf(file)]))
/** Each once, whatever the number of entry points that export it. */
const declarations = new Map<string, Declaration>()
for (const names of exported.values()) {
  for (const declaration of names.values()) declarations.set(keyOf(declaration), declaration)
}

/** Flags of options, which users write as literals. */
const FLAGS = new Set(['AllowInputRequired', 'AllowClaimed', 'FinishedOnly'])

function keyOf({ file, name }: Declaration): string {
  return `${file} ${name}`
}

describe('the shipped declarations', () => {
  it('export the names and have the public members of the reviewed list, and no others', async () => {
    expect(declarations.size).toBeGreaterThan(400)
    await expect(publicFace()).toMatchFileSnapshot('public-face.txt')
  })

  it('contain no member that is marked as internal', () => {
    const marked = shippedFiles().filter((file) => /@(?:internal|private|hidden)\b/.test(readDeclarations(file)))
    expect(marked).toEqual([])
  })

  it('have no public member that only other modules can use, since users cannot name its types', () => {
    const unusable = [...declarations.values()].filter(({ kind }) => kind === 'class').flatMap(findUnusableMembers)
    expect(unusable).toEqual([])
  })

  it('are those that an entry point leads to', () => {
    const reachable = reachableFiles()
    expect(shippedFiles().filter((file) => !reachable.has(file))).toEqual([])
  })
})

/** Members that take or return a class or an interface that no entry point exports. Names for parts of types may stay inside. */
function findUnusableMembers(owner: Declaration): string[] {
  const imported = importsOf(owner.file)
  return membersOf(owner).flatMap(({ name, text }) =>
    [...new Set(text.match(/\b[A-Z]\w+/g) ?? [])].flatMap((word) => {
      const target = imported.get(word)
      if (target === undefined || declarations.has(target) || FLAGS.has(word) || !isStructure(target)) return []
      return [`${owner.name}.${name}: ${word}`]
    }),
  )
}

function isStructure(key: string): boolean {
  const [file = '', name = ''] = key.split(' ')
  return new RegExp(String.raw`^export (?:declare )?(?:abstract )?(?:class|interface) ${name}\b`, 'm').test(
    readDeclarations(file),
  )
}

function publicFace(): string {
  const names = [...exported].map(([entryPoint, all]) => {
    const lines = [...all].map(([name, { kind }]) => `${kind} ${name}`).sort()
    return [`# ${entryPoint}`, ...lines].join('\n')
  })
  // Objects of the protocol have the members that the specification gives them.
  const owners = [...declarations.values()]
    .filter(({ kind, file }) => kind === 'class' || (kind === 'interface' && !file.startsWith('src/types/')))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const members = owners.map((owner) =>
    [...new Set(allMembersOf(owner).map((member) => describeMember(owner.name, member)))].sort(),
  )
  return `${[...names, ['# members', ...members.flat()].join('\n')].join('\n\n')}\n`
}

/** With those of bases that no entry point exports: users see them here only. */
function allMembersOf(owner: Declaration): Member[] {
  const hidden = basesOf(owner).filter((base) => !declarations.has(keyOf(base)))
  return [...membersOf(owner), ...hidden.flatMap(allMembersOf)]
}

function describeMember(owner: string, { name, isStatic }: { name: string; isStatic: boolean }): string {
  return `${owner}.${name}${isStatic ? ' (static)' : ''}`
}
