// Ends the browser session. The page is loaded anew, so that nothing of the account stays in memory.

import { client } from './api.ts'

export const signOut = async (next = '/'): Promise<void> => {
  await client.logOut()
  location.assign(next)
}
