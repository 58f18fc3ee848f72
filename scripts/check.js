// npm run check: everything a machine can say about the sources without running them.
import { ensureInstalled } from './lib/install.js'
import { run } from './lib/run.js'

ensureInstalled()
run('modules', 'scripts/check-modules.js')
run('words and lengths of texts', 'scripts/docs-check.js', ['--sources'])
run('page of the inspector', 'scripts/check-page.js')
run('format and lint', 'biome', ['check', '--error-on-warnings', '.'])
run('lint, second opinion', 'oxlint', [
  '--type-aware',
  '--tsconfig',
  'tsconfig.test.json',
  '--deny-warnings',
  'src',
  'packages',
  'cli',
  'inspector',
  'test',
  'bench',
  'fuzz',
  'examples',
])
run('types of src and packages, without Node', 'tsc', ['-p', 'tsconfig.json'])
run('types of src/node', 'tsc', ['-p', 'src/node/tsconfig.json'])
run('types of src/auth-dev', 'tsc', ['-p', 'src/auth-dev/tsconfig.json'])
run('types of src/nats', 'tsc', ['-p', 'src/nats/tsconfig.json'])
run('types of src/postgres', 'tsc', ['-p', 'src/postgres/tsconfig.json'])
run('types of src/redis', 'tsc', ['-p', 'src/redis/tsconfig.json'])
run('types of src/sqlite', 'tsc', ['-p', 'src/sqlite/tsconfig.json'])
run('types of cli', 'tsc', ['-p', 'cli/tsconfig.json'])
run('types of the inspector', 'tsc', ['-p', 'inspector/backend/tsconfig.json'])
run('types of its page', 'tsc', ['-p', 'inspector/page/tsconfig.json'])
run('types of packages/json-schema, alone', 'tsc', ['-p', 'packages/json-schema/tsconfig.json'])
run('types of tests, benchmarks and examples', 'tsc', ['-p', 'tsconfig.test.json'])
