// Sets the colour scheme before the first paint, so that a dark page never flashes white, and when the system's preference changes
// before the application listens to that.
// It is a file of its own because the content security policy allows no inline script.
;(() => {
  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    let chosen = null
    try {
      chosen = localStorage.getItem('mantine-color-scheme-value')
    } catch {
      // Storage may be blocked; the system's preference decides then.
    }
    const dark = chosen === 'dark' || (chosen !== 'light' && prefersDark.matches)
    document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
  }
  apply()
  prefersDark.addEventListener('change', apply)
})()
