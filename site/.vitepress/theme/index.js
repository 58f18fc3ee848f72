import { useRoute } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { nextTick, onMounted, watch } from 'vue'
import './style.css'

/** The label of the search button differs from its visible text. Code and tables that are too wide can be scrolled with the keyboard. */
function mendPage() {
  for (const button of document.querySelectorAll('.DocSearch-Button')) button.removeAttribute('aria-label')
  for (const block of document.querySelectorAll('.vp-doc pre, .vp-doc table')) {
    if (block.scrollWidth > block.clientWidth) block.setAttribute('tabindex', '0')
    else block.removeAttribute('tabindex')
  }
}

export default {
  extends: theme,
  setup() {
    const route = useRoute()
    onMounted(mendPage)
    watch(
      () => route.path,
      () => nextTick(mendPage),
    )
  },
}
