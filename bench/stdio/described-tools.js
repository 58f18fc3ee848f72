// Realistic tool descriptions: a few sentences per tool and a description of each argument.
const description = 'Searches the shelf for books. Use it whenever the user names a title, an author or a subject. '
const argument = { type: 'string', description: 'What to look for; several words are looked for together.' }
const input = { type: 'object', properties: { title: argument, author: argument }, required: ['title'] }

export const describedTools = Array.from({ length: 1_000 }, (_, n) => ({
  name: `find-book-${n}`,
  title: 'Find a book',
  description,
  input,
}))
