const message = document.getElementById("message");

async function showDepartures() {
  const response = await fetch("/api/sailings?limit=20");
  if (!response.ok) throw new Error(`the booking service answered ${response.status}`);
  const { items } = await response.json();
  const body = document.getElementById("sailings");
  for (const s of items) {
    const row = body.insertRow();
    const departs = new Date(s.departs_at).toLocaleString();
    const price = `€ ${(s.price_cents / 100).toFixed(2)}`;
    for (const value of [s.code, s.origin, s.destination, departs, s.vessel, s.seats_left, price]) {
      row.insertCell().textContent = value;
    }
  }
  message.textContent = "";
}

showDepartures().catch((error) => {
  message.textContent = `Departures cannot be shown: ${error.message}`;
});
