// npm, pnpm, yarn and Bun: how each is called in the files of a project, and how it installs.

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManager = (typeof PACKAGE_MANAGERS)[number]

interface Commands {
  readonly install: readonly string[]
  /** Before the name of a script. */
  readonly run: string
  /** Before the name of a program that the project has installed. */
  readonly exec: string
  /** Before the name of a program that it downloads. */
  readonly download: string
  /** Between a script and the arguments for it. */
  readonly separator: string
  /** The lines of a Dockerfile that install. */
  readonly inDockerfile: readonly [copy: string, install: string]
}

const COMMANDS: Readonly<Record<PackageManager, Commands>> = {
  npm: {
    install: ['install', '--no-audit', '--no-fund', '--loglevel=error'],
    run: 'npm run',
    exec: 'npx',
    download: 'npx',
    separator: '-- ',
    inDockerfile: ['COPY package*.json ./', 'RUN npm ci --omit=dev'],
  },
  pnpm: {
    install: ['install'],
    run: 'pnpm run',
    exec: 'pnpm exec',
    download: 'pnpm dlx',
    separator: '',
    inDockerfile: [
      'COPY package.json pnpm-lock.yaml ./',
      'RUN npm install --global pnpm && pnpm install --prod --frozen-lockfile',
    ],
  },
  yarn: {
    install: ['install'],
    run: 'yarn run',
    exec: 'yarn run',
    download: 'yarn dlx',
    separator: '',
    inDockerfile: ['COPY package.json yarn.lock .yarnrc.yml ./', 'RUN corepack enable && yarn install'],
  },
  bun: {
    install: ['install'],
    run: 'bun run',
    exec: 'bunx',
    download: 'bunx',
    separator: '',
    inDockerfile: [
      'COPY package.json bun.lock ./',
      'RUN npm install --global bun && bun install --production --frozen-lockfile',
    ],
  },
}

/** Its own folder layout would hide the packages from Node. */
const YARN_SETTINGS = 'nodeLinker: node-modules\n'

/** The one that started this process, as in `pnpm create mcpwire`; npm where none did. */
export function detectPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  const [name] = (env['npm_config_user_agent'] ?? '').split('/')
  return PACKAGE_MANAGERS.find((one) => one === name) ?? 'npm'
}

export function installArguments(manager: PackageManager): readonly string[] {
  return COMMANDS[manager].install
}

/** Text that speaks of npm, as a user of another package manager types it. */
export function inWordsOf(manager: PackageManager, text: string): string {
  if (manager === 'npm') return text
  const { run, exec, download, separator, inDockerfile } = COMMANDS[manager]
  const [copy, install] = COMMANDS.npm.inDockerfile
  return text
    .replaceAll(copy, inDockerfile[0])
    .replaceAll(install, inDockerfile[1])
    .replaceAll(
      /\bnpm (?:run )?(start|test|dev|typecheck|inspect|authorization|deploy|\w+:\w+)\b( -- )?/g,
      (_all, script, dashes) => [`${run} ${script}`, ...(dashes === undefined ? [] : [` ${separator}`])].join(''),
    )
    .replaceAll(/\bnpx (?=[\w-]+@)/g, `${download} `)
    .replaceAll(/\bnpx (?=mcpwire\b)/g, `${exec} `)
}

/** Files that only this package manager needs. */
export function ownFiles(manager: PackageManager): ReadonlyMap<string, string> {
  return new Map(manager === 'yarn' ? [['.yarnrc.yml', YARN_SETTINGS]] : [])
}
