// An application without a server: all requests for tokens are made here, in the browser, with CORS.
const { oidc, document, location, history } = globalThis
const showStatus = (text) => {
  document.querySelector('[role=status]').textContent = text
}
const on = (id, action) =>
  document
    .getElementById(id)
    .addEventListener('click', () => action().catch((error) => showStatus(`Failed: ${error.message}`)))

async function start() {
  const manager = new oidc.UserManager({
    ...(await (await fetch('/settings.json')).json()),
    redirect_uri: `${location.origin}/callback`,
    post_logout_redirect_uri: `${location.origin}/signed-out`,
    loadUserInfo: true,
    automaticSilentRenew: false,
  })
  on('sign-in', () => manager.signinRedirect())
  on('renew', async () => {
    const before = await manager.getUser()
    const after = await manager.signinSilent()
    const isNew = after.access_token !== before.access_token && after.refresh_token !== before.refresh_token
    showStatus(isNew ? `Renewed for ${after.profile.email}` : 'Failed: the tokens are the old ones')
  })
  on('sign-out', () => manager.signoutRedirect())

  if (location.pathname === '/callback') {
    const user = await manager.signinCallback()
    history.replaceState(null, '', '/')
    return `Signed in as ${user.profile.name}, ${user.profile.email}`
  }
  if (location.pathname === '/signed-out') {
    await manager.signoutCallback()
    return 'Signed out'
  }
  return 'Nobody is signed in'
}

start().then(showStatus, (error) => showStatus(`Failed: ${error.message}`))
