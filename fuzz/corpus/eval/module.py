# Collects the rows of a table and totals them by customer.
from collections import defaultdict
rows = [{"customer": "a ", "amount": "$10"}, {"customer": "b", "amount": "$2.5"}]
totals = defaultdict(float)
for row in rows:
    customer, amount = row["customer"].strip(), row["amount"]
    totals[customer] += float(amount.replace("$", ""))
best = sorted(totals.items(), key=lambda it: it[1], reverse=True)[:10]
print(f"found {len(best)} customers", best[0] if best else None)
