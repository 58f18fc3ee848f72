// Questions as people type them, each with the page that answers it.
export const QUESTIONS: readonly (readonly [words: string, page: string])[] = [
  ['ask the user a question', 'servers/ask'],
  ['how do I throw an error the model can read', 'servers/errors'],
  ['long running call', 'tasks'],
  ['add server to claude desktop', 'install'],
  ['mount in express', 'running'],
  ['several processes behind a load balancer', 'many-nodes'],
  ['difference between legacy and modern', 'concepts/eras'],
  ['hot reload', 'dev'],
  ['web inspector keyboard', 'inspector'],
  ['show html view for a tool', 'apps'],
]
