// Draws pictures of the card: six files of 640 pixels in width.

import path from 'node:path'
import { View } from './host.mjs'
import { ARGUMENTS, ERROR, ISSUE, PREVIEW, QUESTION, ofData } from './fixtures.mjs'

const PICTURES = [
  ['card-light.png', 'light', ofData(ISSUE)],
  ['card-dark.png', 'dark', ofData(ISSUE)],
  ['preview-light.png', 'light', ofData(PREVIEW)],
  ['preview-dark.png', 'dark', ofData(PREVIEW)],
  ['needs-input.png', 'light', ofData(QUESTION)],
  ['error.png', 'light', { ...ofData(ERROR), isError: true }],
]

export async function draw(browser, html, folder) {
  for (const [file, theme, result] of PICTURES) {
    // Hosts usually name a font. Without it, the picture would show a font that few readers have.
    const styles = { variables: { '--font-sans': 'Inter, sans-serif', '--font-mono': '"DejaVu Sans Mono", monospace' } }
    const view = await View.open(browser, html, { context: { theme, styles }, args: ARGUMENTS, result })
    await view.until(async () => !(await view.frame.$('button:disabled')), 'the buttons to be enabled')
    const element = await view.page.$('iframe')
    await element.screenshot({ path: path.join(folder, file) })
    await view.close()
  }
}
