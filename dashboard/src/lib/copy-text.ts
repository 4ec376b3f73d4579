/** Puts a text on the clipboard, in answer to a click. False if the browser did not let it. */
export async function copyText(text: string): Promise<boolean> {
  // Browsers have this interface only on pages of https and of this computer; the older one works everywhere.
  if (!('clipboard' in navigator)) return copyByCommand(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyByCommand(text),
  )
}

function copyByCommand(text: string): boolean {
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', give)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', give)
  return isCopied
}
