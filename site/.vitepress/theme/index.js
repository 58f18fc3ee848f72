import { useRoute } from 'vitepress'
import 'vitepress/dist/client/theme-default/styles/vars.css'
import 'vitepress/dist/client/theme-default/styles/base.css'
import 'vitepress/dist/client/theme-default/styles/icons.css'
import 'vitepress/dist/client/theme-default/styles/utils.css'
import 'vitepress/dist/client/theme-default/styles/components/custom-block.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-code.css'
import 'vitepress/dist/client/theme-default/styles/components/vp-doc.css'
import Layout from 'vitepress/dist/client/theme-default/Layout.vue'
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
  Layout,
  setup() {
    const route = useRoute()
    onMounted(mendPage)
    watch(
      () => route.path,
      () => nextTick(mendPage),
    )
  },
}
