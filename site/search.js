// Search without a server: the index is a file of the site. Names of the API are found by heading, other pages by all their words.
// VitePress sends these functions to the browser as text, so they use nothing from outside.

/** Splits as people type: also at dots, quotes and placeholders. Names in camelCase are found whole and by their parts. */
function tokenize(text) {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
  return words.flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u)
    return parts.length > 1 ? [word, ...parts] : [word]
  })
}

/** Words that are in every text decide nothing. */
function processTerm(term) {
  const word = term.toLowerCase()
  return /^(?:an?|the|is|are|of|to|in|on|do|does|how|can|i|my|it|this|that|and|or|for|with)$/.test(word) ? null : word
}

/** Each message of a page is found by itself, since a long list of them would weigh less than a short page. */
function messagesAsHeadings(html) {
  return html.replaceAll(
    /<li id="(message-\d+)">([\s\S]*?)<\/li>/g,
    (_item, id, message) =>
      `<h1>${message.replaceAll(/<\/?code[^>]*>/g, '').replaceAll(/‹[^›]*›/g, '…')}<a href="#${id}"></a></h1>`,
  )
}

export const searchOptions = {
  detailedView: false,
  miniSearch: {
    options: { tokenize, processTerm },
    searchOptions: {
      // A long text was copied as it stands. Similar words would only add pages that have many of them.
      fuzzy: (term, _index, terms) => (terms.length < 8 && term.length > 4 ? 0.2 : false),
      prefix: (term, index, terms) => term.length > 2 && (terms.length < 8 || index === terms.length - 1),
      // A name as a whole says more than its parts, which follow it, and a port or an address says little.
      boostTerm: (term, index, terms) => {
        if (/^\d+$/.test(term)) return 0.3
        const next = terms[index + 1]
        return next?.length > 2 && term.length > next.length && term.startsWith(next) ? 8 : 1
      },
      boost: { title: 6, titles: 2, text: 1 },
      // The part of a page before its first heading stands for the page, and lists of links for none.
      boostDocument: (id) => (id.startsWith('/errors/#') ? 0.3 : id.startsWith('/errors/') ? 1.3 : 1),
    },
  },
  _render(source, env, markdown) {
    // Words without colors are found as well, and sooner.
    markdown.options.highlight = (code) => `<pre><code>${markdown.utils.escapeHtml(code)}</code></pre>`
    const html = messagesAsHeadings(markdown.render(source, env))
    if (env.frontmatter?.search === false) return ''
    if (env.frontmatter?.search === 'names') return (html.match(/<h[1-3][\s\S]*?<\/h[1-3]>/g) ?? []).join('')
    return html
  },
}
